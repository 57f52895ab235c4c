/// What members are told of the chat beside its events.
extension Room {
    /// A member's name as an author.
    func author(_ member: Member) -> String { member.person.author }

    /// The chat for somebody who comes in; `nil` if it is not there yet.
    func chatState(for member: Member) -> ChatState? {
        guard let participant = state[member.id.uid], let known = chat.state(of: participant) else {
            chat.wasMissed = true
            return nil
        }
        member.chat.told = known.marks
        return known
    }

    /// Sends what somebody needs who reads on behind an event: the chat if that was not there then, or else what became
    /// of its messages.
    func sendChat(to member: Member, since number: Int) {
        guard let channel = member.channel, chat.phase == .ready else { return }
        if number < chat.loadedNumber, let state = chatState(for: member) {
            outbox.send(.chatState(state), to: channel)
        } else {
            member.chat.told = chat.marks(of: author(member))
            if member.chat.told != ChatMarks() { outbox.send(.marks(member.chat.told), to: channel) }
        }
    }

    /// Sends the chat, which is there now, to all.
    func sendChatStates() {
        for member in ordered {
            if let channel = member.channel, let state = chatState(for: member) {
                outbox.send(.chatState(state), to: channel)
            }
        }
    }

    /// Tells authors how far others have got with their messages.
    func tellMarks() {
        for member in ordered {
            guard let marks = chat.newMarks(of: author(member), told: member.chat.told) else { continue }
            member.chat.told = marks
            if let channel = member.channel { outbox.send(.marks(marks), to: channel) }
        }
    }

    /// Sends a message to some members.
    func send(_ message: RoomMessage, to isReceiver: (Participant) -> Bool) {
        let receivers = state.participants.filter(isReceiver).compactMap { self[$0.uid]?.channel }
        if !receivers.isEmpty { outbox.send(message, to: receivers) }
    }

    /// Sends a passing message to the others who keep up.
    func sendOthers(_ message: RoomMessage, than member: Member) {
        let receivers = ordered.filter { $0 !== member }.compactMap(\.channel).filter(\.isWritable)
        if !receivers.isEmpty { outbox.send(message, to: receivers) }
    }
}

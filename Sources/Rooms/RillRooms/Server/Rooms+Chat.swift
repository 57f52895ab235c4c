public import RillCore

/// The chat of rooms. A message is stored first; only then it is in the log, and its sender is answered.
extension Rooms {
    // MARK: Commands

    /// Does what a member asks for, or has it done: the answer may come later.
    ///
    /// - Throws: why it is refused.
    func perform(
        _ command: ChatCommand, of member: Member, in room: Room, _ reply: RoomChat.Reply, at now: MediaTime
    ) throws(RoomError) {
        switch room.chat.phase {
        case .ready: break
        case .loading:
            guard room.chat.wait(command, of: member, reply) else { throw .storeFailed }
            return
        case .failed: throw .storeFailed
        }
        let uid = member.id.uid
        switch command {
        case .write(let key, let text, let replyTo, let image):
            try write(key, ChatMessage.Content(text: text, image: image), replyTo, of: member, in: room, reply, at: now)
        case .edit(let number, let text):
            try checkMayWrite(member, in: room)
            try checkText(text)
            try change(.edit(number, text: text, by: author(member, in: room), since: since(member, room, now)))
        case .delete(let number):
            try room.require(.chat, of: uid)
            try change(.delete(number, by: author(member, in: room), since: since(member, room, now)))
        case .typing:
            try checkMayWrite(member, in: room)
            try member.chat.takeTyping(at: now)
            room.sendOthers(.typing(uid), than: member)
            done(reply)
        case .read(let number):
            try member.chat.takeRequest(at: now)
            read(number, member, in: room, at: now)
            done(reply)
        case .history(let page):
            try member.chat.takeRequest(at: now)
            guard (1...ChatCommand.pageLimit).contains(page.limit) else {
                throw .tooLarge(field: "limit", limit: ChatCommand.pageLimit)
            }
            try store.read(.messages(room: room.name, page), in: room, reply, outbox)
        case .setEnabled(let isEnabled):
            try room.require(.moderate, of: uid)
            try change(.setEnabled(isEnabled))
            room.chat.willBeEnabled = isEnabled
        case .block(let author, let isBlocked):
            try room.require(.moderate, of: uid)
            guard !isBlocked || room.chat.willBeBlocked.count < settings.blockLimit else {
                throw .tooLarge(field: "blocked", limit: settings.blockLimit)
            }
            try change(.setBlocked(author, isBlocked))
            if isBlocked { room.chat.willBeBlocked.insert(author) } else { room.chat.willBeBlocked.remove(author) }
        case .report(let number, let reason, let text):
            try ChatText.check(text, "text", limit: settings.chatTextLimit)
            guard room.chat[number]?.author != room.author(member) else {
                throw .malformed("a message is reported by others than its author")
            }
            try change(.report(ChatReport(of: number, by: room.author(member), reason, text: text)))
        case .reports:
            try room.require(.moderate, of: uid)
            try member.chat.takeRequest(at: now)
            try store.read(.reports(room: room.name, limit: ChatCommand.pageLimit), in: room, reply, outbox)
        }

        func change(_ kind: ChatChange.Kind) throws(RoomError) {
            try member.chat.takeMessage(at: now)
            try store.add(kind, in: room, time: table.wallTime(at: now), reply)
        }
    }

    private func write(
        _ key: String, _ content: ChatMessage.Content, _ replyTo: Int?, of member: Member, in room: Room,
        _ reply: RoomChat.Reply, at now: MediaTime
    ) throws(RoomError) {
        let author = room.author(member)
        guard !key.isEmpty else { throw .malformed("a chat message needs a key") }
        // Also for who is blocked since.
        if let number = room.chat.number(of: author, key: key) { return done(reply, message: number) }
        try checkMayWrite(member, in: room)
        if content.image == nil || !content.text.isEmpty { try checkText(content.text) }
        if let replyTo, !(1...max(room.chat.lastNumber, 1)).contains(replyTo) { throw .unknownMessage(replyTo) }
        try member.chat.takeMessage(at: now)
        let message = ChatMessage(
            author: author, uid: member.id.uid, name: room.state[member.id.uid]?.name ?? "", key: key, content,
            replyTo: replyTo)
        try store.add(.write(message), in: room, time: table.wallTime(at: now), reply)
    }

    /// - Throws: `notAllowed`, `blocked`, `chatDisabled`.
    func checkMayWrite(_ member: Member, in room: Room) throws(RoomError) {
        try room.require(.chat, of: member.id.uid)
        guard !room.chat.willBeBlocked.contains(room.author(member)) else { throw .blocked }
        guard room.chat.willBeEnabled else { throw .chatDisabled }
    }

    private func checkText(_ text: String) throws(RoomError) {
        guard !ChatText.isBlank(text) else { throw .malformed("a chat message needs a text") }
        try ChatText.check(text, "text", limit: settings.chatTextLimit)
    }

    private func isHost(_ member: Member, _ room: Room) -> Bool {
        room.state[member.id.uid]?.rights.contains(.moderate) == true
    }

    /// Whose messages a member may change; `nil` for all.
    private func author(_ member: Member, in room: Room) -> String? {
        isHost(member, room) ? nil : room.author(member)
    }

    /// The time of the oldest message that a member may change.
    private func since(_ member: Member, _ room: Room, _ now: MediaTime) -> Int {
        isHost(member, room) ? 0 : table.wallTime(at: now) - Int(settings.chatEditTime.nanoseconds / 1_000_000)
    }

    private func done(_ reply: RoomChat.Reply?, number: Int? = nil, message: Int? = nil) {
        guard let reply else { return }
        outbox.send(.done(reply.request, number: number, answer: nil, message: message), to: reply.channel)
    }

    private func refuse(_ error: RoomError, _ reply: RoomChat.Reply?) {
        if let reply { outbox.refuse(error, reply.request, of: reply.channel) }
    }

    // MARK: Marks

    /// A member has received messages up to a number.
    func received(_ number: Int, _ member: Member, in room: Room, at now: MediaTime) {
        let number = min(number, room.chat.lastNumber)
        guard room.chat.phase == .ready, number > member.chat.received else { return }
        member.chat.received = number
        guard room.chat.receive(room.author(member), number) else { return }
        store.mark(room.author(member), isRead: false, number, in: room.name, time: table.wallTime(at: now))
        room.tellMarks()
    }

    private func read(_ number: Int, _ member: Member, in room: Room, at now: MediaTime) {
        received(number, member, in: room, at: now)
        let number = min(number, room.chat.lastNumber)
        guard number > 0, let isNews = room.chat.read(room.author(member), number) else { return }
        store.mark(room.author(member), isRead: true, number, in: room.name, time: table.wallTime(at: now))
        if isNews { room.tellMarks() }
    }

    // MARK: The store's answers

    /// Changes are made: the answer to ``RoomsAction/store(_:_:)``.
    public func stored(_ results: [ChatResult], for work: RoomStoreWork, at now: MediaTime) {
        guard let writes = store.finish(work) else { return }
        for (index, write) in writes.enumerated() {
            // A store that answers less than it was asked has failed.
            if index < results.count { take(results[index], of: write, at: now) }
        }
        fail(writes.dropFirst(results.count))
    }

    private func take(_ result: ChatResult, of write: StoreQueue.Write, at now: MediaTime) {
        let (room, reply, time) = (write.room, write.reply, write.change.time)
        switch (write.change.kind, result) {
        case (.write(var message), .stored(let number)), (.write(var message), .known(let number)):
            // One that is known may still be new to the log, if the store failed after it had stored it.
            guard number > room.chat.lastNumber else { return done(reply, message: number) }
            (message.number, message.time) = (number, time)
            room.chat.add(message)
            outbox.statistics.chatMessages += 1
            done(reply, number: room.append(.chat(message), wallTime: time, at: now), message: number)
        case (.write, _): refuse(.imageRefused("there is no such image"), reply)
        case (.edit(let number, let text, by: _, since: _), .stored):
            let event = RoomEvent.chatEdited(number, text: text, edited: time)
            done(reply, number: change(event, in: room, at: now), message: number)
        case (.delete(let number, by: _, since: _), .stored):
            done(reply, number: change(.chatDeleted(number), in: room, at: now), message: number)
        case (.edit(let number, text: _, by: _, since: _), .known), (.delete(let number, by: _, since: _), .known):
            done(reply, message: number)
        case (.edit(let number, text: _, by: _, since: _), .notFound),
            (.delete(let number, by: _, since: _), .notFound):
            refuse(.unknownMessage(number), reply)
        case (.edit, .tooOld), (.delete, .tooOld):
            refuse(.tooOld(limit: Int(settings.chatEditTime.seconds)), reply)
        case (.setEnabled(let isEnabled), _):
            let number =
                room.chat.isEnabled == isEnabled
                ? nil
                : change(
                    .chatChanged(isEnabled: isEnabled), in: room, at: now)
            done(reply, number: number)
        case (.setBlocked(let author, let isBlocked), _):
            room.chat.setBlocked(author, isBlocked)
            room.send(.blocked(author, isBlocked)) { $0.rights.contains(.moderate) || $0.author == author }
            done(reply)
        case (.report(let report), .stored):
            if let message = room.chat[report.message] {
                tell(ReportedMessage(report, message), in: room)
            } else {
                // It is older than those that are at hand.
                store.readMessage(of: report, in: room, outbox)
            }
            done(reply, message: report.message)
        case (.report(let report), .known): done(reply, message: report.message)
        case (.report(let report), _): refuse(.unknownMessage(report.message), reply)
        case (.forget, _), (.read, _), (.received, _): break
        }
    }

    private func change(_ event: RoomEvent, in room: Room, at now: MediaTime) -> Int {
        room.chat.apply(event)
        store.changed(event, in: room)
        return room.append(event, at: now)
    }

    /// Something was read: the answer to ``RoomsAction/read(_:_:)``.
    public func read(_ result: ChatReadResult, for work: RoomStoreWork, at now: MediaTime) {
        guard let read = store.finishRead(work) else { return }
        switch (read.what, result) {
        case (.start, .start(let record, let messages)):
            let room = read.room
            guard room.chat.phase != .ready else { return }
            // Who was welcomed without it, and is cut off just now, gets it when it is back.
            room.chat.load(record, messages, at: room.lastNumber + (room.chat.wasMissed ? 1 : 0))
            room.sendChatStates()
            room.greetWaiting(at: now)
            for waiting in room.chat.takeWaiting() {
                do throws(RoomError) {
                    guard room[waiting.member.id.uid] === waiting.member else { throw .notJoined }
                    try perform(waiting.command, of: waiting.member, in: room, waiting.reply, at: now)
                } catch {
                    refuse(error, waiting.reply)
                }
            }
        case (.messages, .messages(var messages)):
            for event in read.changes { for index in messages.indices { messages[index].apply(event) } }
            if let reply = read.reply { outbox.send(.history(messages, to: reply.request), to: reply.channel) }
            if let report = read.report {
                tell(ReportedMessage(report, messages.first { $0.number == report.message }), in: read.room)
            }
        case (.reports, .reports(let reports)):
            if let reply = read.reply { outbox.send(.reports(reports, to: reply.request), to: reply.channel) }
        default: fail(read, at: now)
        }
    }

    /// The store failed: the other answer to ``RoomsAction/store(_:_:)`` and ``RoomsAction/read(_:_:)``. Of the changes
    /// nothing was made. Who asked for them is told.
    public func storeFailed(_ error: RoomStoreError, for work: RoomStoreWork, at now: MediaTime) {
        outbox.statistics.storeFailures += 1
        if let writes = store.finish(work) {
            fail(writes[...])
        } else if let read = store.finishRead(work) {
            fail(read, at: now)
        }
    }

    private func fail(_ writes: ArraySlice<StoreQueue.Write>) {
        let rooms = Dictionary(writes.map { (ObjectIdentifier($0.room), $0.room) }, uniquingKeysWith: { $1 })
        for room in rooms.values { room.chat.revert(to: store.waiting(of: room)) }
        for write in writes { refuse(.storeFailed, write.reply) }
    }

    private func tell(_ report: ReportedMessage, in room: Room) {
        room.send(.report(report)) { $0.rights.contains(.moderate) }
    }

    private func fail(_ read: StoreQueue.Read, at now: MediaTime) {
        guard case .start = read.what else {
            // The hosts find the message with the list of reports.
            if let report = read.report { tell(ReportedMessage(report, nil), in: read.room) }
            return refuse(.storeFailed, read.reply)
        }
        giveUp(read.room, at: now)
        store.retry(read.room, at: now + settings.storeRetryInterval)
    }

    /// A room goes on without its chat, until the store has it.
    private func giveUp(_ room: Room, at now: MediaTime) {
        room.chat.fail()
        room.greetWaiting(at: now)
        for waiting in room.chat.takeWaiting() { refuse(.storeFailed, waiting.reply) }
    }

    /// Gives up chats that take too long, and asks again for those that could not be read.
    func retryLoads(at now: MediaTime) {
        for room in store.lateLoads(at: now) where room.chat.phase == .loading { giveUp(room, at: now) }
        for room in store.takeRetries(at: now) where table[room.name] === room { store.load(room) }
    }
}

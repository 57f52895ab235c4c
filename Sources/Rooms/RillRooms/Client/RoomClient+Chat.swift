public import RillCore

/// The chat.
extension RoomClient {
    /// Writes a chat message. Line ends become `\n`, other control characters go, and what is longer than it may be is
    /// cut to whole characters.
    ///
    /// - Parameters:
    ///   - text: the message; may be empty if there is an image.
    ///   - key: its id, unique among the author's messages. A message that was sent before is not sent twice.
    ///   - replyTo: the number of the message that it answers.
    ///   - image: an image that the server has.
    ///   - now: the current time.
    /// - Throws: `queueFull`; `malformed` if there is nothing to see.
    public func chat(
        _ text: String, key: String, replyTo: Int? = nil, image: ChatImage? = nil, at now: MediaTime
    ) throws(RoomError) {
        let clean = ChatText.clean(text, limit: settings.chatTextLimit)
        let isBlank = ChatText.isBlank(clean)
        guard !isBlank || image != nil else { throw .malformed("a chat message needs a text") }
        try queue.add(.chat(OutgoingChat(isBlank ? "" : clean, key: key, replyTo: replyTo, image: image)))
    }

    /// This client's messages that are not known to be stored, with what is known of them.
    public var outgoing: [(message: OutgoingChat, delivery: ChatDelivery)] {
        let isAway = status == .lost || isOver
        return conversation.failed.map { ($0.message, .failed($0.error)) }
            + waitingChats.map { ($0, isAway ? .failed(.timedOut) : .sending) }
    }

    /// The same messages, for an app that keeps them over its restart: ``restore(_:at:)``.
    public var unsentChat: [OutgoingChat] { conversation.failed.map(\.message) + waitingChats }

    private var waitingChats: [OutgoingChat] {
        queue.messages.compactMap { message in
            guard case .chat(let chat) = message, !conversation.contains(key: chat.key) else { return nil }
            return chat
        }
    }

    /// Sends messages that a client of the same author had not sent. Those that it had are not there twice.
    ///
    /// - Throws: `queueFull`.
    public func restore(_ messages: [OutgoingChat], at now: MediaTime) throws(RoomError) {
        for message in messages where !unsentChat.contains(where: { $0.key == message.key }) {
            try queue.add(.chat(message))
        }
    }

    /// Sends a message again that failed; one that waits for the server is tried now.
    ///
    /// - Throws: `queueFull`.
    public func resend(key: String, at now: MediaTime) throws(RoomError) {
        guard let message = conversation.takeFailed(key: key) else { return retry(at: now) }
        do { try queue.add(.chat(message)) } catch {
            conversation.refused(message, error)
            throw error
        }
    }

    /// Forgets a message that failed.
    public func discard(key: String, at now: MediaTime) { _ = conversation.takeFailed(key: key) }

    /// The user has read up to this message.
    public func read(upTo number: Int, at now: MediaTime) { conversation.read(number) }

    /// Asks for a page of older messages: ``RoomClientEvent/conversation`` follows.
    public func loadOlder(at now: MediaTime) { conversation.wantOlder() }

    /// The user is typing. Others are told each 2 s at most.
    public func typing(at now: MediaTime) {
        guard isEntered, now >= typingTime else { return }
        typingTime = now + .seconds(2)
        sendPassing(.chat(.typing))
    }

    // MARK: From the server

    /// Takes a message that is about the chat.
    func takeChat(_ message: RoomMessage) {
        switch message {
        case .chatState(let state): conversation.take(state)
        case .marks(let marks): conversation.take(marks)
        case .blocked(let author, let isBlocked): conversation.setBlocked(author, isBlocked)
        case .history(let messages, let id):
            guard conversation.take(messages, request: id) else {
                if requests.finish(id) != nil { report(.messages(request: id, messages)) }
                return
            }
        case .reports(let reports, let id):
            if requests.finish(id) != nil { report(.reports(request: id, reports)) }
            return
        case .report(let reported): return report(.reported(reported))
        case .typing(let uid): return report(.typing(uid))
        default: return
        }
        report(.conversation)
    }
}

import RillCore
public import RillRooms

/// The chat of a ``Room``: each message once, in one order for all, with its state.
///
/// ```swift
/// try room.chat.send("hello")
/// for message in room.chat.conversation.messages { print(message.name, message.content?.text ?? "deleted") }
/// ```
///
/// Threads: all methods may be called from any thread.
public struct RoomChat: Sendable {
    private let core: RoomCore

    init(_ core: RoomCore) { self.core = core }

    /// The messages, in the order of their numbers, and what became of one's own ones.
    public var conversation: Conversation { core.look { $0.conversation } }
    /// One's own messages that are not known to be stored, with what is known of them.
    public var outgoing: [(message: OutgoingChat, delivery: ChatDelivery)] { core.look { $0.outgoing } }
    /// The same messages, for an app that keeps them over its restart: ``restore(_:)``.
    public var unsent: [OutgoingChat] { core.look { $0.unsentChat } }

    /// Writes a message. It waits while one is cut off, and is stored once.
    ///
    /// - Parameters:
    ///   - text: the message, cut to 255 characters; may be empty if there is an image.
    ///   - replyTo: the number of the message that it answers.
    ///   - image: an image that the server has.
    /// - Returns: its key, by which ``Room/Event/sent(_:number:)`` and ``Room/Event/failed(_:_:)`` name it.
    /// - Throws: `queueFull`; `malformed` if there is nothing to see.
    @discardableResult
    public func send(_ text: String, replyTo: Int? = nil, image: ChatImage? = nil) throws(RoomError) -> String {
        let key = String(UInt64.random(in: 0 ... .max), radix: 36)
        try core.change { (client, now) throws(RoomError) in
            try client.chat(text, key: key, replyTo: replyTo, image: image, at: now)
        }
        return key
    }

    /// Sends a message again that failed.
    ///
    /// - Throws: `queueFull`.
    public func resend(key: String) throws(RoomError) {
        try core.change { (client, now) throws(RoomError) in try client.resend(key: key, at: now) }
    }

    /// Forgets a message that failed.
    public func discard(key: String) { core.change { client, now in client.discard(key: key, at: now) } }

    /// Sends messages that a run of the app before had not sent. Those that it had are not there twice.
    ///
    /// - Throws: `queueFull`.
    public func restore(_ messages: [OutgoingChat]) throws(RoomError) {
        try core.change { (client, now) throws(RoomError) in try client.restore(messages, at: now) }
    }

    /// The user has read up to this message.
    public func read(upTo number: Int) { core.change { client, now in client.read(upTo: number, at: now) } }

    /// Asks for a page of older messages: ``Room/Event/chatChanged`` follows.
    public func loadOlder() { core.change { client, now in client.loadOlder(at: now) } }

    /// The user is typing. Others are notified each 2 s at most.
    public func typing() { core.change { client, now in client.typing(at: now) } }

    /// Gives a message another text: its author within a time, or a host.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func edit(_ number: Int, _ text: String) async throws(RoomError) {
        _ = try await core.ask(.chat(.edit(number, text: text)))
    }

    /// Deletes a message: its author within a time, or a host.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func delete(_ number: Int) async throws(RoomError) { _ = try await core.ask(.chat(.delete(number))) }

    /// Reports a message to the hosts: once a message.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func report(_ number: Int, _ reason: ChatReport.Reason, text: String = "") async throws(RoomError) {
        _ = try await core.ask(.chat(.report(number, reason, text: text)))
    }

    /// The reports, the latest first, for hosts.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func reports() async throws(RoomError) -> [ReportedMessage] {
        guard case .reports(let reports) = try await core.ask(.chat(.reports)) else { return [] }
        return reports
    }

    /// Turns the chat on or off, as a host.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func setEnabled(_ isEnabled: Bool) async throws(RoomError) {
        _ = try await core.ask(.chat(.setEnabled(isEnabled)))
    }

    /// Lets an author (``/RillRooms/Participant/author``) write no more, or again, as a host.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func setBlocked(_ isBlocked: Bool, _ author: String) async throws(RoomError) {
        _ = try await core.ask(.chat(.block(author, isBlocked)))
    }
}

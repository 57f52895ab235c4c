public import RillCore

/// App data.
extension RoomClient {
    /// Sends app data to somebody, or to all others: each message once, and in order.
    ///
    /// - Throws: `queueFull`, with what was missed and what is cached.
    public func send(_ text: String, to uid: UID? = nil, at now: MediaTime) throws(RoomError) {
        try queue.add(.data(text, to: uid))
    }

    /// The messages that are not sent yet.
    public var unsent: [OutgoingMessage] { queue.messages }
}

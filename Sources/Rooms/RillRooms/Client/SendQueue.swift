import RillCore

/// Messages that wait: one is with the server at a time, so that their order stays, and each arrives once.
struct SendQueue {
    private(set) var messages: [OutgoingMessage] = []
    private let limit: Int
    private var missed = 0
    /// The number of the first message, which it has from its first attempt on.
    private var count = 0
    private var request: Int?
    private var nextTime = MediaTime(nanoseconds: .min)
    private var isNumbered = false

    init(limit: Int) { self.limit = limit }

    /// - Throws: `queueFull`.
    mutating func add(_ message: OutgoingMessage) throws(RoomError) {
        guard messages.count < limit else {
            missed += 1
            throw .queueFull(missed: missed, cached: messages.count)
        }
        missed = 0
        messages.append(message)
    }

    /// The next message as a command, if it may be sent now.
    ///
    /// - Parameter id: of the request.
    mutating func next(id: Int, at now: MediaTime) -> RoomCommand? {
        guard request == nil, now >= nextTime, let first = messages.first else { return nil }
        request = id
        if !isNumbered { count += 1 }
        isNumbered = true
        switch first {
        case .data(let text, let uid): return .data(count: count, to: uid, text: text)
        case .chat(let chat):
            return .chat(key: chat.key, text: chat.text, replyTo: chat.replyTo, image: chat.image)
        }
    }

    /// When the next message may be sent; `nil` if there is none, or one is with the server.
    var wakeTime: MediaTime? { request == nil && !messages.isEmpty ? nextTime : nil }

    /// The channel is gone: the first message is sent with its number on the next one.
    mutating func reset() { request = nil }

    /// Whether a request is the first message; if so it is done with.
    mutating func finish(_ id: Int) -> OutgoingMessage? {
        guard id == request else { return nil }
        request = nil
        isNumbered = false
        return messages.removeFirst()
    }

    /// The server asks to wait with the first message, if this is its request.
    mutating func delay(_ id: Int, by time: MediaDuration, at now: MediaTime) -> Bool {
        guard id == request else { return false }
        request = nil
        nextTime = now + time
        return true
    }
}

/// The last messages of app data of each sender. A sender whose answer was lost with a server sends its message to the
/// next one again.
struct DataSenders {
    private var last: [UID: (session: Int, sequence: Int)] = [:]

    /// Whether a message has not come before; then it has now.
    mutating func isNew(_ sequence: Int, of uid: UID, in room: RoomState?) -> Bool {
        // Of senders who are out meanwhile only the number is known.
        let session = room?[uid]?.session ?? last[uid]?.session ?? 0
        if let former = last[uid], former.session == session, sequence <= former.sequence { return false }
        last[uid] = (session, sequence)
        if last.count > 256 { last = last.filter { room?[$0.key] != nil } }
        return true
    }
}

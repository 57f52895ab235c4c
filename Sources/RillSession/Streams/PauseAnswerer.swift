/// Takes the other side's requests to pause one stream that is sent, and to go on: the sending side of RFC 7728.
///
/// Each PAUSE has a number of its own, and what takes it back bears that: so requests may be repeated, lost and overtaken by each
/// other, and an old one changes nothing. A pause by our own decision takes a number too, which tells it from theirs.
struct PauseAnswerer: Sendable {
    /// The other side wants nothing of the stream.
    private(set) var isPaused = false
    /// The least number that a new request may bear.
    private var next: UInt16 = 0

    /// What became of a request.
    enum Answer: Sendable {
        /// It is followed.
        case changed
        /// It was followed already: the word of that was lost, or has not come yet.
        case repeated
        /// It was overtaken by another one.
        case stale
    }

    /// Number of the last pause; one before the first, as long as there was none.
    var pauseID: UInt16 { next &- 1 }

    mutating func pause(_ number: UInt16) -> Answer {
        guard isNew(number) else { return number == pauseID && isPaused ? .repeated : .stale }
        next = number &+ 1
        defer { isPaused = true }
        return isPaused ? .repeated : .changed
    }

    mutating func resume(_ number: UInt16) -> Answer {
        // It takes back a request that has not come, and that may come yet.
        if isNew(number) { next = number &+ 1 }
        guard number == pauseID else { return .stale }
        defer { isPaused = false }
        return isPaused ? .changed : .repeated
    }

    /// The stream pauses by our own decision.
    mutating func pauseByOurselves() { next &+= 1 }

    /// Another source begins, of which nobody has asked anything.
    mutating func reset() { self = PauseAnswerer() }

    private func isNew(_ number: UInt16) -> Bool { Int16(bitPattern: number &- next) >= 0 }
}

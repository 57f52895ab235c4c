/// Handles the remote side's requests to pause and resume one stream that is sent: the sending side of RFC 7728.
///
/// Each PAUSE has a new PauseID, and the RESUME that ends it carries the same one. So requests may be repeated, lost
/// or reordered, and an old one changes nothing. A pause by our own decision also takes a PauseID, to distinguish it
/// from theirs.
struct PauseAnswerer: Sendable {
    /// Whether the remote side has paused the stream.
    private(set) var isPaused = false
    /// The lowest PauseID that a new request may have.
    private var next: UInt16 = 0

    /// The outcome of a request.
    enum Answer: Sendable {
        /// The request is followed.
        case changed
        /// It was already followed: the answer was lost, or has not arrived yet.
        case repeated
        /// A newer request overtook it.
        case stale
    }

    /// PauseID of the last pause; before the first pause, the one before the first ID.
    var pauseID: UInt16 { next &- 1 }

    mutating func pause(_ number: UInt16) -> Answer {
        guard isNew(number) else { return number == pauseID && isPaused ? .repeated : .stale }
        next = number &+ 1
        defer { isPaused = true }
        return isPaused ? .repeated : .changed
    }

    mutating func resume(_ number: UInt16) -> Answer {
        // This RESUME ends a PAUSE that has not arrived, and may still arrive.
        if isNew(number) { next = number &+ 1 }
        guard number == pauseID else { return .stale }
        defer { isPaused = false }
        return isPaused ? .changed : .repeated
    }

    /// Pauses the stream by our own decision.
    mutating func pauseByOurselves() { next &+= 1 }

    /// Starts over for a new SSRC, for which no request was made.
    mutating func reset() { self = PauseAnswerer() }

    private func isNew(_ number: UInt16) -> Bool { Int16(bitPattern: number &- next) >= 0 }
}

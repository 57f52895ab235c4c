import RillCore
import RillSession

/// Whether anybody wants a layer, and whether its publisher is asked to pause it.
///
/// A layer that nobody wants for 5 s is stopped at its publisher: somebody who is back within that time costs nothing.
/// It returns with one key frame, which the publisher sends by itself.
struct LayerInterest: Sendable {
    /// What the publisher is to be told.
    enum Change: Hashable, Sendable {
        /// Nobody wants the layer.
        case stop
        /// Somebody wants it again.
        case resume
    }

    private enum State {
        case wanted
        /// Nobody wants it since then, and it is still sent.
        case unwanted(since: MediaTime)
        /// The publisher was told that nobody wants it.
        case stopped
        /// The publisher was told to send it again, at that time.
        case returning(since: MediaTime)
    }

    private var state = State.wanted

    /// How long nobody must want a layer before it is stopped. 5 s.
    static let timeout = MediaDuration.seconds(5)

    /// Notes whether somebody wants the layer.
    ///
    /// - Parameters:
    ///   - isWanted: whether somebody does.
    ///   - now: the current time.
    /// - Returns: what the publisher is to be told; `nil` for nothing.
    mutating func update(isWanted: Bool, at now: MediaTime) -> Change? {
        switch (isWanted, state) {
        case (true, .stopped):
            state = .returning(since: now)
            return .resume
        case (true, .unwanted): state = .wanted
        case (false, .wanted), (false, .returning): state = .unwanted(since: now)
        case (false, .unwanted(let since)) where now - since >= LayerInterest.timeout:
            state = .stopped
            return .stop
        case (true, _), (false, _): break
        }
        return nil
    }

    /// Notes a frame of the layer.
    mutating func noteFrame() { if case .returning = state { state = .wanted } }

    /// When ``update(isWanted:at:)`` is due, if nothing changes before.
    var deadline: MediaTime {
        if case .unwanted(let since) = state { since + LayerInterest.timeout } else { .distantFuture }
    }

    /// Whether its publisher was told to stop it.
    var isStopped: Bool { if case .stopped = state { true } else { false } }

    /// Whether its first frame after a pause is awaited. One that does not come within 2 s is not awaited any more.
    func isReturning(at now: MediaTime) -> Bool {
        guard case .returning(let since) = state else { return false }
        return now - since < KeyFrameRequester.stopTimeout
    }
}

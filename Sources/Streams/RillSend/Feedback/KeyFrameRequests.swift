public import RillCore
import RillRTP

/// Combines requests for the same key frame into one.
///
/// The network duplicates packets, and a PLI has no number that would distinguish a copy from a second request.
/// Several receivers that lost the same packet send requests at the same time. A request within a window after an
/// honored request therefore counts as the same. Each request that is `honored` leads to exactly one key frame.
/// Requests within the window do not extend it: a receiver that keeps requesting is honored once per window.
///
/// ```swift
/// var coalescer = KeyFrameRequestCoalescer(window: .milliseconds(200))
/// if coalescer.request(at: now) == .honored { encoder.requestKeyFrame() }
/// ```
///
/// Use one per stream: a request for one layer is independent of the others.
public struct KeyFrameRequestCoalescer: Sendable {
    /// The time after an honored request within which further requests count as the same.
    public let window: MediaDuration
    private var lastHonored: MediaTime?

    /// The outcome of a request.
    public enum Outcome: Equatable, Sendable {
        /// The request is to be answered with a key frame.
        case honored
        /// The request was already answered, or is about to be.
        case repeated
    }

    /// A coalescer with that window; zero honors every request.
    public init(window: MediaDuration) {
        self.window = window
    }

    /// Handles a request that arrived at `now`.
    public mutating func request(at now: MediaTime) -> Outcome {
        if let lastHonored, now - lastHonored < window { return .repeated }
        lastHonored = now
        return .honored
    }
}

/// Remembers the FIR commands that were carried out, by requester and sequence number (RFC 5104 §4.3.1.2).
///
/// It stores the latest command of up to eight requesters; a ninth replaces the one known for longest. Inventing
/// requesters therefore yields only a few extra key frames, which the coalescer spaces out.
struct FullIntraRequestFilter {
    private var commands = InlineArray<8, Command?>(repeating: nil)
    private var oldest = 0

    private struct Command {
        var requester: SSRC
        var number: UInt8
    }

    /// Returns whether this command repeats the latest command of the requester.
    func isRepetition(of number: UInt8, from requester: SSRC) -> Bool {
        guard let index = index(of: requester) else { return false }
        return commands[index]?.number == number
    }

    /// Records a command that is being carried out.
    mutating func note(_ number: UInt8, from requester: SSRC) {
        let command = Command(requester: requester, number: number)
        if let index = index(of: requester) {
            commands[index] = command
        } else {
            commands[oldest] = command
            oldest = (oldest + 1) % commands.count
        }
    }

    private func index(of requester: SSRC) -> Int? {
        commands.indices.first { commands[$0]?.requester == requester }
    }
}

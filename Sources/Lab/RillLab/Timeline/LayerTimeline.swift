public import RillCore
import RillReceive

/// The events of one layer of a session over time, which ``LoopbackReport`` summarizes.
///
/// Times are on the session's clock, which starts at zero.
public struct LayerTimeline: Sendable {
    /// The layer's name.
    public var rid: StreamLayer.RID
    /// The length of each interval: 1/128 s times a power of two.
    public var intervalLength: MediaDuration
    /// The intervals from time zero up to the last one with an event; at most 2048.
    public var intervals: [TimelineInterval]
    /// Freezes by either rule, in chronological order; at most the longest 512.
    public var freezes: [Freeze]
    /// The number of further freezes, all shorter.
    public var omittedFreezes: Int
    /// The longest freezes, at most a dozen, with the pictures before and after.
    public var picturedFreezes: [PicturedFreeze]
    /// When the first picture was shown.
    public var firstShown: MediaTime?
    /// When the last picture was shown.
    public var lastShown: MediaTime?
    /// When the last frame was handed to the network.
    public var lastSent: MediaTime?

    /// The time from the last picture to the last frame sent, if more than 500 ms: a freeze that no picture ended,
    /// which neither rule counts. `nil` if there is none; if nothing was shown it starts at zero.
    public var unendedFreeze: (start: MediaTime, end: MediaTime)? {
        guard let lastSent else { return nil }
        let start = lastShown ?? .zero
        return lastSent - start > FreezeMeter.longGap ? (start, lastSent) : nil
    }

    /// Returns the start of interval `index`.
    public func start(ofInterval index: Int) -> MediaTime { .zero + intervalLength * index }
}

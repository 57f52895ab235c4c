public import RillCore
import RillReceive

/// What happened on one layer of a session, over time: what ``LoopbackReport`` sums up.
///
/// Times are those of the session's clock, which begins at zero.
public struct LayerTimeline: Sendable {
    /// The layer's name.
    public var rid: StreamLayer.RID
    /// The length of each interval: 1/128 s times a power of two.
    public var intervalLength: MediaDuration
    /// The intervals from time zero on, up to the last one in which anything happened; 2048 at the most.
    public var intervals: [TimelineInterval]
    /// Freezes by either rule, in the order of time; of very many the longest 512.
    public var freezes: [Freeze]
    /// Freezes beyond those, all shorter.
    public var freezesLeftOut: Int
    /// The longest freezes, a dozen at the most, with the pictures before and after.
    public var picturedFreezes: [PicturedFreeze]
    /// When the first picture was shown.
    public var firstShown: MediaTime?
    /// When the last one was.
    public var lastShown: MediaTime?
    /// When the last frame was handed to the network.
    public var lastSent: MediaTime?

    /// From the last picture to the last frame sent, where more than 500 ms lie between them: a freeze that no picture
    /// ended, which neither rule counts. `nil` where there is none; where nothing was shown at all it begins at zero.
    public var unendedFreeze: (start: MediaTime, end: MediaTime)? {
        guard let lastSent else { return nil }
        let start = lastShown ?? .zero
        return lastSent - start > FreezeMeter.longGap ? (start, lastSent) : nil
    }

    /// When interval `index` begins.
    public func start(ofInterval index: Int) -> MediaTime { .zero + intervalLength * index }
}

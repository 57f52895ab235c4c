public import RillCore

/// The bottleneck of one or several links: one queue that their datagrams share, each link with its own delay, loss
/// and order behind it.
///
/// ```swift
/// let access = try LinkSettings(notation: "rate=3M,queue=drain/300ms,headers=28")
/// if let bottleneck = Bottleneck(access) {
///     let first = EmulatedLink(try LinkSettings(notation: "delay=50ms,seed=1"), through: bottleneck)
///     let second = EmulatedLink(try LinkSettings(notation: "delay=20ms,loss=1%,seed=2"), through: bottleneck)
/// }
/// ```
///
/// Datagrams pass in the order of the calls of `send`, also at equal times. Time must not go back, for all links
/// together: an earlier time counts as the latest.
///
/// A link whose settings have a rate or a trace creates a bottleneck of its own: ``EmulatedLink/bottleneck``.
///
/// Threads: one owner, one thread at a time, together with all its links.
public final class Bottleneck {
    /// The settings. Only ``LinkSettings/rate``, ``LinkSettings/trace``, ``LinkSettings/queueLimit`` and
    /// ``LinkSettings/headerByteCount`` count here.
    public let settings: LinkSettings
    /// The statistics so far, of all links together.
    public private(set) var statistics = BottleneckStatistics()

    private var queue: BottleneckQueue
    /// The latest time.
    private var now = MediaTime(nanoseconds: .min)

    /// Creates an idle bottleneck.
    ///
    /// - Parameter settings: its rate or trace, queue limit and headers; `nil` is returned if there is neither rate nor
    ///   trace.
    public init?(_ settings: LinkSettings) {
        guard let queue = BottleneckQueue(settings) else { return nil }
        self.settings = settings
        self.queue = queue
    }

    /// The capacity at a time: ``LinkSettings/capacity(at:)``, zero if nothing passes.
    ///
    /// - Parameter time: any time, past or future.
    /// - Returns: the capacity in bit/s.
    public func capacity(at time: MediaTime) -> Bitrate { settings.capacity(at: time) ?? Bitrate(bitsPerSecond: 0) }

    /// Advances to `now`, and returns it, or the latest time if that is later.
    func advance(to now: MediaTime) -> MediaTime {
        self.now = max(self.now, now)
        return self.now
    }

    /// Enqueues a datagram of a link at the latest time; its headers are added.
    func enqueue(byteCount: Int) -> BottleneckQueue.Outcome {
        let wireByteCount = byteCount + settings.headerByteCount
        let outcome = queue.enqueue(byteCount: wireByteCount, at: now)
        switch outcome {
        case .passes:
            statistics.accepted += 1
            statistics.acceptedBytes += wireByteCount
        case .full:
            statistics.dropped += 1
            statistics.droppedBytes += wireByteCount
        }
        return outcome
    }
}

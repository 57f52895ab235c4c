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
/// Cross traffic and CUBIC flows are simulated packet by packet, up to the time of each `send`: a silence costs what
/// they send meanwhile, 0.1 to 0.2 µs a packet.
///
/// Threads: one owner, one thread at a time, together with all its links.
public final class Bottleneck {
    /// The settings. Only ``LinkSettings/rate``, ``LinkSettings/trace``, ``LinkSettings/queueLimit``,
    /// ``LinkSettings/headerByteCount``, ``LinkSettings/crossTraffic`` with its packets' size, and
    /// ``LinkSettings/cubicFlows`` count here.
    public let settings: LinkSettings
    /// The statistics so far, of all links together; those of cross traffic and CUBIC flows as of the latest datagram
    /// or ``advance(to:)``.
    public var statistics: BottleneckStatistics { state.statistics }

    // One value, so that the run time checks exclusive access once per datagram.
    private var state: State

    fileprivate struct State {
        var queue: BottleneckQueue
        var background: BackgroundTraffic?
        var statistics = BottleneckStatistics()
        let headerByteCount: Int
        /// The latest time.
        var now = MediaTime(nanoseconds: .min)
    }

    /// Creates an idle bottleneck.
    ///
    /// - Parameter settings: its rate or trace, queue limit, headers, cross traffic and CUBIC flows; `nil` is returned
    ///   if there is neither rate nor trace.
    public init?(_ settings: LinkSettings) {
        guard let queue = BottleneckQueue(settings) else { return nil }
        self.settings = settings
        state = State(
            queue: queue, background: BackgroundTraffic(settings), headerByteCount: settings.headerByteCount)
        state.statistics.cubicFlows = settings.cubicFlows.map { _ in CUBICFlowStatistics() }
    }

    /// The capacity at a time: ``LinkSettings/capacity(at:)``, zero if nothing passes.
    ///
    /// - Parameter time: any time, past or future.
    /// - Returns: the capacity in bit/s.
    public func capacity(at time: MediaTime) -> Bitrate { settings.capacity(at: time) ?? Bitrate(bitsPerSecond: 0) }

    /// Advances to a time: cross traffic and CUBIC flows send what is due by then. `send` of a link does the same
    /// first.
    ///
    /// - Parameter now: the current time.
    /// - Returns: the same, or the latest time if that is later.
    @discardableResult
    public func advance(to now: MediaTime) -> MediaTime {
        state.advance(to: now)
        return state.now
    }

    /// Enqueues a datagram of a link; its headers are added. The time becomes the latest of all links.
    func enqueue(byteCount: Int, at now: inout MediaTime) -> BottleneckQueue.Outcome {
        state.enqueue(byteCount: byteCount, at: &now)
    }
}

extension Bottleneck.State {
    mutating func advance(to time: MediaTime) {
        now = max(now, time)
        background?.advance(to: now, through: &queue, &statistics)
    }

    mutating func enqueue(byteCount: Int, at time: inout MediaTime) -> BottleneckQueue.Outcome {
        advance(to: time)
        time = now
        let wireByteCount = byteCount + headerByteCount
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

/// How a datagram passes a bottleneck.
public struct BottleneckPassage: Hashable, Sendable {
    /// The time from sending to the transmission of the datagram's own first bit: at a rate, what is queued before it;
    /// over a trace, until the opportunity that takes its first byte. Whole nanoseconds, rounded down.
    public let wait: MediaDuration
    /// When its last bit passes, in whole nanoseconds, rounded up. It may still be lost after that.
    public let departure: MediaTime
}

/// The statistics of a ``Bottleneck`` since it was created. Bytes include headers.
public struct BottleneckStatistics: Codable, Hashable, Sendable {
    /// Datagrams of links that the queue took. Some may be lost behind it.
    public internal(set) var accepted = 0
    /// Their bytes: over the capacity, the utilization.
    public internal(set) var acceptedBytes = 0
    /// Datagrams of links that the queue dropped, and their bytes.
    public internal(set) var dropped = 0
    /// The bytes of ``dropped``.
    public internal(set) var droppedBytes = 0
    /// Packets of cross traffic.
    public internal(set) var crossSent = 0
    /// The ones among them that the queue dropped.
    public internal(set) var crossDropped = 0
    /// The bytes of the others.
    public internal(set) var crossBytes = 0
    /// One for each CUBIC flow.
    public internal(set) var cubicFlows: [CUBICFlowStatistics] = []
}

/// The statistics of a ``CUBICFlow``.
public struct CUBICFlowStatistics: Codable, Hashable, Sendable {
    /// Segments, including retransmissions.
    public internal(set) var sent = 0
    /// The bytes of those that the queue took: what the flow got, headers included.
    public internal(set) var acceptedBytes = 0
    /// Segments that the queue dropped.
    public internal(set) var dropped = 0
    /// How often the window was reduced after a loss.
    public internal(set) var reductions = 0
    /// How often the flow started again after a timeout.
    public internal(set) var timeouts = 0
    /// The congestion window in segments; zero before the flow starts.
    public internal(set) var window = 0.0
}

extension CUBICFlowStatistics: CustomStringConvertible {
    /// The non-zero counters by name.
    public var description: String { countedText(self) }
}

extension BottleneckStatistics: CustomStringConvertible {
    /// The non-zero counters by name: `accepted 307, acceptedBytes 368400`.
    public var description: String { countedText(self) }
}

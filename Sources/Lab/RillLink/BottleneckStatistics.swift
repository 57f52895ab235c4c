import RillCore

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

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
}

extension BottleneckStatistics: CustomStringConvertible {
    /// The non-zero counters by name: `accepted 307, acceptedBytes 368400`.
    public var description: String { countedText(self) }
}

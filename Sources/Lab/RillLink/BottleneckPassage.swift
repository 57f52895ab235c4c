public import RillCore

/// How a datagram passes a bottleneck.
public struct BottleneckPassage: Hashable, Sendable {
    /// The time from sending to the transmission of the datagram's own first bit: at a rate, what is queued before it;
    /// over a trace, until the opportunity that takes its first byte. Whole nanoseconds, rounded down.
    public let wait: MediaDuration
    /// When its last bit passes, in whole nanoseconds, rounded up. It may still be lost after that.
    public let departure: MediaTime
}

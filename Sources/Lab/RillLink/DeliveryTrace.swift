public import RillCore

/// A measured schedule of when a bottleneck lets bytes through: a trace in the format of mahimahi's `mm-link`.
///
/// ```swift
/// let trace = try DeliveryTrace(contentsOf: "lte.up")
/// let link = EmulatedLink(try LinkSettings(trace: trace, queueLimit: .bytes(150_000)))
/// ```
///
/// The file has one whole number per line, none smaller than the previous one: milliseconds since the trace's start,
/// each an opportunity to let 1500 bytes through. The last number is also the period, after which the trace repeats.
/// So `1` alone is a link of 12 Mbit/s, and a repeated number lets 3000 bytes through at once. Netravali et al.,
/// "Mahimahi", USENIX ATC 2015; such traces were recorded on mobile networks by the saturator: Winstein et al.,
/// "Stochastic Forecasts Achieve High Throughput and Low Delay over Cellular Networks", NSDI 2013.
public struct DeliveryTrace: Hashable, Sendable {
    /// The opportunities in milliseconds: not empty, not falling, the last above zero.
    public let milliseconds: [UInt32]
    /// The trace's name in settings: its path, or another name.
    public let name: String

    /// The bytes that each opportunity lets through.
    public static let bytesPerOpportunity = 1500
    /// The most opportunities of a trace: two minutes at 400 Mbit/s, or 16 MiB of memory.
    public static let maximumCount = 4 << 20

    /// Creates a trace from numbers, for tests or from a model.
    ///
    /// - Parameters:
    ///   - milliseconds: the opportunities in milliseconds.
    ///   - name: the trace's name; `trace` by default.
    /// - Throws: `invalidTrace`, whose line is the number's position, counted from one.
    public init(milliseconds: [UInt32], name: String = "trace") throws(LinkError) {
        var parser = DeliveryTraceParser(name: name)
        for number in milliseconds { try parser.add(UInt64(number)) }
        self = try parser.finish()
    }

    /// Creates a trace from numbers that ``DeliveryTraceParser`` has checked.
    init(checked milliseconds: [UInt32], name: String) {
        self.milliseconds = milliseconds
        self.name = name
    }

    /// The time after which it repeats.
    public var period: MediaDuration { .milliseconds(Int(milliseconds[milliseconds.count - 1])) }

    /// The mean rate over one period.
    public var meanRate: Bitrate {
        let bits = milliseconds.count * Self.bytesPerOpportunity * 8
        return Bitrate(bitsPerSecond: bits * 1000 / Int(milliseconds[milliseconds.count - 1]))
    }
}

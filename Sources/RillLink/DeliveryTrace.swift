public import RillCore

/// When a bottleneck lets bytes through, as somebody measured it: a trace in the format of mahimahi's `mm-link`.
///
///     let trace = try DeliveryTrace(contentsOf: "lte.up")
///     let link = EmulatedLink(try LinkSettings(trace: trace, queueLimit: .bytes(150_000)))
///
/// A text of whole numbers, one a line, none smaller than the one before: milliseconds since the trace began, each an
/// opportunity to let 1500 bytes through. The last number is also the length of the trace, which then begins anew. So
/// `1` alone is a link of 12 Mbit/s, and a number that stands there twice lets 3000 bytes through at once. Netravali et
/// al., "Mahimahi", USENIX ATC 2015; the saturator that recorded such traces on mobile networks: Winstein et al.,
/// "Stochastic Forecasts Achieve High Throughput and Low Delay over Cellular Networks", NSDI 2013.
public struct DeliveryTrace: Hashable, Sendable {
    /// The opportunities in milliseconds: never empty, never falling, the last above zero.
    public let milliseconds: [UInt32]
    /// Where it is from: its path, or what else the settings shall call it.
    public let name: String

    /// What each opportunity lets through.
    public static let bytesPerOpportunity = 1500
    /// The most opportunities that a trace may have: two minutes at 400 Mbit/s, or 16 MiB of memory.
    public static let maximumCount = 4 << 20

    /// A trace made in place: for tests, or drawn by a model.
    ///
    /// - Throws: `invalidTrace`, whose line is the number's place, counted from one.
    public init(milliseconds: [UInt32], name: String = "trace") throws(LinkError) {
        var parser = DeliveryTraceParser(name: name)
        for number in milliseconds { try parser.add(UInt64(number)) }
        self = try parser.finish()
    }

    /// Of what ``DeliveryTraceParser`` has found to be right.
    init(checked milliseconds: [UInt32], name: String) {
        self.milliseconds = milliseconds
        self.name = name
    }

    /// How long it takes until it begins anew.
    public var period: MediaDuration { .milliseconds(Int(milliseconds[milliseconds.count - 1])) }

    /// What it lets through over one period, on average.
    public var meanRate: Bitrate {
        let bits = milliseconds.count * Self.bytesPerOpportunity * 8
        return Bitrate(bitsPerSecond: bits * 1000 / Int(milliseconds[milliseconds.count - 1]))
    }
}

import RillRTP

/// The state of ``SentPacketHistory`` for feedback by stream: the streams' numbers, and the progress of feedback.
struct StreamReports: Sendable {
    var streams: [SentStream] = []
    /// The index of the last packet's stream: the next packet often belongs to the same stream.
    var recent = 0
    /// The timestamps of feedback, in units of 1/65536 s: below two years.
    private var timestamps = ArrivalClock(bitWidth: 32, limit: 1 << 42)
    /// The highest number that arrived, as of the newest feedback and the two before it.
    private var reach: (newest: Int64, last: Int64, beforeLast: Int64) = (-1, -1, -1)
    /// Feedback that is older than the newest by less than this was reordered. Beyond it, the receiver's clock was
    /// set back.
    private static let latest: Int64 = 10 << 16

    /// Resets the progress of feedback, and marks all packets as resolved.
    mutating func restart() {
        timestamps.restart()
        reach = (-1, -1, -1)
        for index in streams.indices { streams[index].firstOpen = streams[index].newest + 1 }
    }

    /// Starts processing feedback with this timestamp.
    ///
    /// - Returns: the time in units of 1/65536 s, and the number before which packets were overtaken; `nil` for
    ///   outdated feedback.
    mutating func begin(_ timestamp: NTPShort) -> (time: Int64, overtaken: Int64)? {
        let newest = timestamps.newest
        if let newest {
            let time = timestamps.peek(timestamp.rawValue)
            if time < newest, newest - time < StreamReports.latest { return nil }
            if time < newest { timestamps.restart() }
        }
        let time = timestamps.extend(timestamp.rawValue)
        // Feedback that exceeds a datagram is split into several of one timestamp.
        guard time != newest else { return (time, -1) }
        let overtaken = reach.beforeLast
        reach = (reach.newest, reach.newest, reach.last)
        return (time, overtaken)
    }

    /// Records that a packet arrived.
    mutating func recordArrival(of number: Int64) { reach.newest = max(reach.newest, number) }

    /// The index of a sent stream.
    func place(of ssrc: SSRC) -> Int? {
        if recent < streams.count, streams[recent].ssrc == ssrc { return recent }
        return streams.firstIndex { $0.ssrc == ssrc }
    }

    /// Records a packet under its transport-wide number.
    ///
    /// - Parameters:
    ///   - sequenceNumber: its number in the stream.
    ///   - ssrc: the stream.
    ///   - number: its transport-wide number.
    ///   - oldest: the oldest packet of interest.
    /// - Returns: an earlier packet with the same sequence number, if it is known.
    mutating func record(
        _ sequenceNumber: SequenceNumber, of ssrc: SSRC, as number: Int64, oldest: Int64
    ) -> Int64? {
        recent = place(of: ssrc) ?? add(ssrc, first: sequenceNumber)
        return streams[recent].record(
            streams[recent].extended(sequenceNumber), as: number, oldest: oldest,
            limit: SentPacketHistory.maximumCapacity)
    }

    /// Adds a stream. Beyond the limit it replaces the one with the oldest last packet.
    private mutating func add(_ ssrc: SSRC, first: SequenceNumber) -> Int {
        let stream = SentStream(ssrc, first: first)
        guard streams.count >= SentPacketHistory.maximumStreamCount else {
            streams.append(stream)
            return streams.count - 1
        }
        let oldest = streams.indices.min { streams[$0].lastNumber < streams[$1].lastNumber } ?? 0
        streams[oldest] = stream
        return oldest
    }
}

/// Extends the wrapping timestamps of a receiver's feedback.
///
/// A peer may advance its time by half the counter's range with each packet. So the values are kept below `limit`:
/// beyond it the clock restarts. That takes years in a regular call.
struct ArrivalClock: Sendable {
    private let limit: Int64
    private let bitWidth: Int
    private var extender: CounterExtender

    /// Creates a clock for a counter of `bitWidth` bits.
    init(bitWidth: Int, limit: Int64) {
        (self.bitWidth, self.limit) = (bitWidth, limit)
        extender = CounterExtender(bitWidth: bitWidth)
    }

    /// The newest time; `nil` before the first.
    var newest: Int64? { extender.newest }

    /// Returns the extended value, without recording it.
    func peek(_ wire: UInt32) -> Int64 { extender.peek(wire) }

    /// Extends a value, and records it if it is the newest.
    mutating func extend(_ wire: UInt32) -> Int64 {
        let value = extender.extend(wire)
        guard value > limit else { return value }
        restart()
        return extender.extend(wire)
    }

    /// Forgets all values.
    mutating func restart() { extender = CounterExtender(bitWidth: bitWidth) }
}

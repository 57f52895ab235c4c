import RillRTP

/// What ``SentPacketHistory`` knows for feedback by stream: the streams' numbers, and how far feedback has come.
struct StreamReports: Sendable {
    var streams: [SentStream] = []
    /// The stream of the last packet: the next one is often of the same.
    var recent = 0
    /// The times of feedback, in steps of 1/65536 s: below two years.
    private var timestamps = ArrivalClock(bitWidth: 32, limit: 1 << 42)
    /// The highest number of a packet that arrived, as of the newest feedback and the two before it.
    private var reach: (newest: Int64, last: Int64, beforeLast: Int64) = (-1, -1, -1)
    /// Feedback that is older than the newest by less than this is late; otherwise the receiver's clock was set.
    private static let latest: Int64 = 10 << 16

    /// Forgets how far feedback has come, and that packets are open.
    mutating func restart() {
        timestamps.restart()
        reach = (-1, -1, -1)
        for index in streams.indices { streams[index].firstOpen = streams[index].newest + 1 }
    }

    /// Begins with feedback that was written at a time.
    ///
    /// - Returns: that time in steps of 1/65536 s, and the number before which packets are overtaken; `nil` if it is outdated.
    mutating func begin(_ timestamp: NTPShort) -> (time: Int64, overtaken: Int64)? {
        let newest = timestamps.newest
        if let newest {
            let time = timestamps.peek(timestamp.rawValue)
            if time < newest, newest - time < StreamReports.latest { return nil }
            if time < newest { timestamps.restart() }
        }
        let time = timestamps.extend(timestamp.rawValue)
        // Feedback that is too long for a datagram comes in several, of one time.
        guard time != newest else { return (time, -1) }
        let overtaken = reach.beforeLast
        reach = (reach.newest, reach.newest, reach.last)
        return (time, overtaken)
    }

    /// Notes that a packet arrived.
    mutating func recordArrival(of number: Int64) { reach.newest = max(reach.newest, number) }

    /// The place of a stream that was sent.
    func place(of ssrc: SSRC) -> Int? {
        if recent < streams.count, streams[recent].ssrc == ssrc { return recent }
        return streams.firstIndex { $0.ssrc == ssrc }
    }

    /// Records a packet as the transport's packet `number`.
    ///
    /// - Parameters:
    ///   - sequenceNumber: its number in the stream.
    ///   - ssrc: the stream.
    ///   - number: its number in the transport.
    ///   - oldest: the oldest packet that matters.
    /// - Returns: an earlier packet with the same sequence number, if one is remembered.
    mutating func record(
        _ sequenceNumber: SequenceNumber, of ssrc: SSRC, as number: Int64, oldest: Int64
    ) -> Int64? {
        recent = place(of: ssrc) ?? add(ssrc, first: sequenceNumber)
        return streams[recent].record(
            streams[recent].extended(sequenceNumber), as: number, oldest: oldest,
            limit: SentPacketHistory.maximumCapacity)
    }

    /// Adds a stream, in the place of the one whose last packet is oldest if there are too many.
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

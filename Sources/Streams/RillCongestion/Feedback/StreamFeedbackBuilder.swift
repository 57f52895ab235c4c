public import RillCore
public import RillRTP

/// The receiver side of congestion control by RFC 8888: it records arrivals for each stream, and writes feedback.
///
/// ```swift
/// builder.record(header.sequenceNumber, of: header.ssrc, byteCount: datagram.count + 28, arrival: now)
/// if builder.dueTime <= now {
///     builder.write(from: ours, timestamp: wallClock.short, at: now, into: &output)
/// }
/// ```
///
/// ``FeedbackInterval`` determines when feedback is due. Each feedback repeats the two before it, within its size
/// limit. With the default limit, above 190 packets per feedback it repeats less, and above 580 it omits the oldest
/// packets.
///
/// Any numbers of any streams are safe. It stores ``window`` packets for each of ``maximumStreamCount`` streams. A
/// further stream replaces the one that has been silent longest. Memory grows with the number of streams only.
///
/// It is a pure value with one owner and reads no clock. Source: RFC 8888. ``FeedbackBuilder`` writes transport-wide
/// feedback instead.
public struct StreamFeedbackBuilder: Sendable {
    /// The maximum of packets of a stream in one feedback.
    public static let window = 512
    /// The maximum number of streams.
    public static let maximumStreamCount = 32
    /// The default maximum size of a feedback packet, in bytes: one datagram (RFC 8888 §3.1).
    public static let maximumByteCount = 1184

    /// When the next feedback is due; in the distant future while there is nothing to report.
    public var dueTime: MediaTime { interval.dueTime }

    private var streams: [ReceivedStream] = []
    /// The index of the last packet's stream: the next packet often belongs to the same stream.
    private var recent = 0
    private var interval = FeedbackInterval()
    private let limit: Int

    /// Creates a builder before the first packet.
    ///
    /// - Parameter limit: the maximum size of a feedback packet, in bytes: 64 to ``maximumByteCount``, the default. A
    ///   smaller one leaves room in the datagram for reports.
    public init(limit: Int = StreamFeedbackBuilder.maximumByteCount) {
        precondition(
            (64...StreamFeedbackBuilder.maximumByteCount).contains(limit), "feedback of at most \(limit) bytes")
        self.limit = limit
    }

    /// Records the arrival of a packet.
    ///
    /// - Parameters:
    ///   - number: its sequence number.
    ///   - ssrc: its stream.
    ///   - mark: the ECN field of its IP header; not-ECT if that is unknown.
    ///   - byteCount: its size on the path in bytes.
    ///   - arrival: its arrival time.
    public mutating func record(
        _ number: SequenceNumber, of ssrc: SSRC, mark: CongestionControlFeedback.ECNMark = .notCapable, byteCount: Int,
        arrival: MediaTime
    ) {
        if recent >= streams.count || streams[recent].ssrc != ssrc { recent = place(of: ssrc) }
        guard streams[recent].record(number, mark, at: arrival) else { return }
        interval.recordReceived(byteCount, at: arrival)
    }

    /// Returns the maximum size of the feedback that is due, in bytes, with its header; `nil` if there is nothing to
    /// report. No feedback is due then.
    public mutating func prepare() -> Int? {
        let size = size
        guard size.byteCount > CongestionControlFeedbackWriter.headerByteCount else {
            interval.cancel()
            return nil
        }
        return size.byteCount
    }

    /// Appends the feedback. Call it when ``dueTime`` has come. The next one is due after the interval, if packets
    /// arrive.
    ///
    /// - Parameters:
    ///   - sender: our SSRC.
    ///   - timestamp: `now` by the clock of our sender reports.
    ///   - now: the current time.
    ///   - output: a span with room for ``prepare()`` bytes.
    @_lifetime(output: copy output)
    public mutating func write(
        from sender: SSRC, timestamp: NTPShort, at now: MediaTime, into output: inout OutputSpan<UInt8>
    ) {
        let (count, byteCount) = size
        guard byteCount > CongestionControlFeedbackWriter.headerByteCount else { return }
        let start = output.count
        var room = limit - CongestionControlFeedbackWriter.headerByteCount
        var writer = CongestionControlFeedbackWriter(sender: sender, into: &output)
        for index in streams.indices {
            let headerByteCount = CongestionControlFeedbackWriter.reportByteCount(of: 0)
            let most = max(0, room - headerByteCount) / 4 * 2
            if let range = streams[index].numbers.range(repeating: count, window: Self.window), most > 0 {
                let kept = max(range.lowerBound, range.upperBound - Int64(most) + 1)...range.upperBound
                streams[index].write(kept, at: now, with: &writer, into: &output)
                room -= CongestionControlFeedbackWriter.reportByteCount(of: kept.count)
            }
            streams[index].numbers.recordFeedback()
        }
        writer.finish(at: timestamp, into: &output)
        interval.recordSent(output.count - start, at: now)
    }

    // MARK: Size

    /// The number of feedbacks that the next one repeats, and its size in bytes. It repeats two, unless that exceeds
    /// a datagram.
    ///
    /// A feedback that is still too long is cut to the newest packets. If only late packets have arrived, there is
    /// nothing new, and a feedback that repeats is cut.
    private var size: (repetition: Int, byteCount: Int) {
        var shortest = (repetition: 2, byteCount: CongestionControlFeedbackWriter.headerByteCount)
        for count in stride(from: 2, through: 0, by: -1) {
            let byteCount = byteCount(repeating: count)
            if byteCount == CongestionControlFeedbackWriter.headerByteCount { break }
            if byteCount <= limit { return (count, byteCount) }
            shortest = (count, limit)
        }
        return shortest
    }

    private func byteCount(repeating count: Int) -> Int {
        var byteCount = CongestionControlFeedbackWriter.headerByteCount
        for index in streams.indices {
            guard let range = streams[index].numbers.range(repeating: count, window: Self.window) else { continue }
            byteCount += CongestionControlFeedbackWriter.reportByteCount(of: range.count)
        }
        return byteCount
    }

    // MARK: Streams

    /// The index of a stream. A new stream is appended, or replaces the one with the oldest last packet.
    private mutating func place(of ssrc: SSRC) -> Int {
        if let known = streams.firstIndex(where: { $0.ssrc == ssrc }) { return known }
        guard streams.count >= StreamFeedbackBuilder.maximumStreamCount else {
            streams.append(ReceivedStream(ssrc, window: Self.window))
            return streams.count - 1
        }
        let oldest = streams.indices.min { streams[$0].lastArrival < streams[$1].lastArrival } ?? 0
        streams[oldest] = ReceivedStream(ssrc, window: Self.window)
        return oldest
    }
}

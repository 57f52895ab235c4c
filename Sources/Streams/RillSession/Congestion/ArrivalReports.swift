import RillCongestion
import RillCore
import RillRTP

/// What the remote side's congestion control is told of the packets that arrive from it, in the form that was
/// negotiated.
///
/// It notes packets, and writes the report when ``dueTime`` has come. There is one for each transport: the numbers of
/// transport-wide feedback are shared by all streams on it.
struct ArrivalReports: ~Copyable {
    /// Which packets are reported; `nil` for none.
    private(set) var form: Form?
    private var transportWide: FeedbackBuilder
    private var byStream: StreamFeedbackBuilder

    /// How packets are counted.
    enum Form {
        /// By the number in the header extension with this ID.
        case transportWide(id: UInt8)
        /// By the sequence numbers of the streams (RFC 8888).
        case byStream
    }

    /// Reports nothing.
    ///
    /// - Parameter room: the bytes that are left for a report in a datagram.
    init(room: Int) {
        transportWide = FeedbackBuilder(limit: min(max(room, 64), FeedbackBuilder.maximumByteCount))
        byStream = StreamFeedbackBuilder(limit: min(max(room, 64), StreamFeedbackBuilder.maximumByteCount))
    }

    /// Reports that kind from now on, if packets can be counted that way.
    mutating func report(_ kind: StreamDescription.CongestionFeedback, _ extensions: HeaderExtensionMap) {
        switch kind {
        case .transportWide:
            if let id = extensions[.transportSequenceNumber] { form = .transportWide(id: id) }
        case .byStream: form = .byStream
        }
    }

    /// Takes note of an RTP packet of any stream, if it is reported by a transport-wide number.
    ///
    /// - Returns: when the next report is due; `nil` if the packet is not reported.
    @inline(__always)
    mutating func note(_ datagram: Span<UInt8>, at now: MediaTime) -> MediaTime? {
        guard case .transportWide(let id) = form, let number = TransportSequenceNumber(id: id, inRTP: datagram) else {
            return nil
        }
        transportWide.record(number.number, byteCount: datagram.count, arrival: now)
        return transportWide.dueTime
    }

    /// Takes note of an RTP packet of a stream that is received, if it is reported by stream. Others would take memory,
    /// and the place of those.
    ///
    /// - Returns: when the next report is due; `nil` if the packet is not reported.
    @inline(__always)
    mutating func note(received datagram: Span<UInt8>, at now: MediaTime) -> MediaTime? {
        guard case .byStream = form, let ssrc = SSRC(ofRTP: datagram), let number = SequenceNumber(ofRTP: datagram)
        else {
            return nil
        }
        byStream.record(number, of: ssrc, byteCount: datagram.count, arrival: now)
        return byStream.dueTime
    }

    /// When the next report is due; in the distant future while there is nothing to report.
    var dueTime: MediaTime {
        switch form {
        case .transportWide: transportWide.dueTime
        case .byStream: byStream.dueTime
        case nil: .distantFuture
        }
    }

    /// The size of the report that is due, in bytes, with the header; `nil` if there is nothing to report.
    mutating func prepare() -> Int? {
        switch form {
        case .transportWide: transportWide.prepare()
        case .byStream: byStream.prepare()
        case nil: nil
        }
    }

    /// Appends the report that is due.
    ///
    /// - Parameters:
    ///   - sender: our SSRC.
    ///   - media: the SSRC of any stream of the transport.
    ///   - now: the current time.
    ///   - wallClock: the same by the clock of our sender reports.
    ///   - output: has room for ``prepare()`` bytes.
    @_lifetime(output: copy output)
    mutating func write(
        from sender: SSRC, about media: SSRC, at now: MediaTime, _ wallClock: NTPTimestamp,
        into output: inout OutputSpan<UInt8>
    ) {
        switch form {
        case .transportWide: transportWide.write(from: sender, about: media, at: now, into: &output)
        case .byStream: byStream.write(from: sender, timestamp: wallClock.short, at: now, into: &output)
        case nil: break
        }
    }
}

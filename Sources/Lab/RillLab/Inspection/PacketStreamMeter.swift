import RillCore
import RillRTP

/// Collects what is known of the packets of one SSRC.
struct PacketStreamMeter {
    let ssrc: SSRC
    private let codec: VideoCodec?
    private var numbers = SequenceMeter()
    private var jitter: JitterMeter?
    private var sorter = PacketSorter()
    private var counts = FileInspection.Packets()
    private var payloadTypes: [UInt8: Int] = [:]
    private var rtcpKinds: [String: Int] = [:]
    private var trials: [CodecTrial] = []
    private(set) var timestamps = TimestampRing()
    private(set) var retransmission = RetransmissionTrial()
    /// The packets that are truncated, and when all packets arrived.
    private var cutCount = 0
    private var span = MediaSpan()

    /// Dynamic payload types, which the session defines (RFC 3551 §3).
    private static let dynamicPayloadTypes: ClosedRange<UInt8> = 96...127
    /// The most trials for frames per SSRC, each for one payload type and codec.
    private static let maximumTrialCount = 16

    /// Creates a meter for the SSRC, whose packets are interpreted as `codec`, or tried with each codec if that is
    /// `nil`.
    init(ssrc: SSRC, codec: VideoCodec?) {
        self.ssrc = ssrc
        self.codec = codec
    }

    /// Adds the next packet of the SSRC, RTP or RTCP; `false` if it only looks like one.
    ///
    /// - Parameters:
    ///   - packet: the packet, as far as it was captured.
    ///   - missing: the number of bytes at its end that were not.
    ///   - time: when it was captured.
    @discardableResult
    mutating func add(_ packet: Span<UInt8>, missing: Int = 0, at time: MediaTime) -> Bool {
        switch PacketKind(of: packet) {
        case .rtp: addRTP(packet, missing: missing, at: time)
        case .rtcp: addRTCP(packet, isCut: missing > 0)
        case .other: false
        }
    }

    private mutating func addRTP(_ bytes: Span<UInt8>, missing: Int, at time: MediaTime) -> Bool {
        // What looks like RTP but cannot be parsed is not a packet of the stream. Of a truncated one the header is
        // enough.
        guard let header = try? missing > 0 ? RTPHeader(parsing: bytes) : RTPPacket(parsing: bytes).header else {
            return false
        }
        counts.count += 1
        counts.bytes += bytes.count + missing
        payloadTypes[header.payloadType.rawValue, default: 0] += 1
        span.add(time)
        timestamps.add(header.sequenceNumber, header.timestamp)
        jitter = jitter ?? JitterMeter(header.payloadType)
        jitter?.add(header, at: time)
        let number: Int64
        switch numbers.add(header.sequenceNumber) {
        case .new(let new): number = new
        case .reordered(let late):
            counts.reordered += 1
            number = late
        case .duplicate:
            counts.duplicated += 1
            return true
        }
        guard missing == 0 else {
            cutCount += 1
            return true
        }
        beginTrials(of: header.payloadType)
        sorter.insert(bytes, number: number, at: time) { bytes, time in
            PacketStreamMeter.try(bytes, at: time, &trials)
        }
        return true
    }

    /// Starts a trial of each codec that the payload type may have.
    private mutating func beginTrials(of payloadType: PayloadType) {
        guard trials.count < PacketStreamMeter.maximumTrialCount,
            !trials.contains(where: { $0.payloadType == payloadType }),
            codec != nil || PacketStreamMeter.dynamicPayloadTypes.contains(payloadType.rawValue)
        else { return }
        let candidates = codec.map { [$0] } ?? VideoCodec.allCases
        trials += candidates.map { CodecTrial(payloadType, $0) }
    }

    private static func `try`(_ bytes: Span<UInt8>, at time: MediaTime, _ trials: inout [CodecTrial]) {
        // It was already parsed when it arrived.
        guard let packet = try? RTPPacket(parsing: bytes) else { return }
        for index in trials.indices where trials[index].payloadType == packet.header.payloadType {
            trials[index].add(packet, at: time)
        }
    }

    /// Checks whether the packet just added could be a retransmission of another SSRC's packet.
    mutating func compare(_ bytes: Span<UInt8>, with sources: borrowing [PacketStreamMeter]) {
        // Padding-only packets have no original; unparsable packets are counted elsewhere.
        guard retransmission.isOpen, PacketKind(of: bytes) == .rtp, let header = try? RTPHeader(parsing: bytes),
            let packet = try? RetransmittedPacket(parsing: bytes)
        else { return }
        let number = packet.originalSequenceNumber
        retransmission.add(
            sources.first { $0.ssrc != ssrc && $0.timestamps.fits(number, header.timestamp) }.map(\.ssrc))
    }

    private mutating func addRTCP(_ bytes: Span<UInt8>, isCut: Bool) -> Bool {
        counts.rtcp += 1
        var compound = RTCPCompound(bytes)
        do throws(RTPError) {
            while let packet = try compound.next() {
                rtcpKinds[rtcpKind(packet.type, packet.count), default: 0] += 1
            }
            return true
        } catch {
            // The packets before the cut are counted.
            if isCut { return true }
            rtcpKinds["unreadable", default: 0] += 1
            return false
        }
    }

    /// Whether two of its packets were consecutive, or it sent reports: random data does neither.
    var isConfirmed: Bool { numbers.hasSequence || counts.rtcp > rtcpKinds["unreadable", default: 0] }

    /// The number of all its packets.
    var packetCount: Int { counts.count + counts.rtcp }

    /// Returns the result; nothing can be added afterwards.
    mutating func finish() -> FileInspection.Stream {
        sorter.drain { bytes, time in PacketStreamMeter.try(bytes, at: time, &trials) }
        let best = retransmission.original == nil ? best : nil
        var stream = best?.frames.stream ?? FileInspection.Stream()
        counts.lost = numbers.missing
        counts.payloadTypes = payloadTypes.map { FileInspection.PayloadTypeCount(payloadType: Int($0), count: $1) }
            .sorted { $0.payloadType < $1.payloadType }
        counts.rtcpKinds = rtcpKinds
        stream.ssrc = ssrc.description
        if let jitter, jitter.isOfStaticType || best != nil { counts.jitter = jitter.result }
        stream.packets = counts
        stream.payloadType = best.map { Int($0.payloadType.rawValue) }
        stream.descriptor = best?.descriptor
        let seconds = span.duration.seconds
        if cutCount > 0, seconds > 0 {
            (stream.duration, stream.bitrate) = (seconds, Double(8 * counts.bytes) / seconds)
            stream.frameRate = stream.frames > 0 ? Double(stream.frames) / seconds : nil
        }
        stream.retransmissionsOf = retransmission.original?.description
        return stream
    }

    /// The plausible trial with the most frames; a codec that was given is not checked for plausibility.
    private var best: CodecTrial? {
        trials.filter { codec != nil || $0.isPlausible }
            .max { ($0.frames.keyFrames, $0.frames.count) < ($1.frames.keyFrames, $1.frames.count) }
    }
}

/// The interarrival jitter of a stream, and its mean and maximum.
private struct JitterMeter {
    /// Whether the payload type itself defines the clock.
    let isOfStaticType: Bool
    private let clockRate: Int64
    private var jitter = InterarrivalJitter()
    private var figures = FileInspection.Jitter(mean: 0, maximum: 0)
    private var count = 0

    /// A meter of a stream whose first packet has that payload type. A dynamic one is taken for video.
    init(_ payloadType: PayloadType) {
        let rate = payloadType.staticClockRate
        (isOfStaticType, clockRate) = (rate != nil, rate ?? Int64(RTPTimestamp.videoClockRate))
    }

    mutating func add(_ header: RTPHeader, at time: MediaTime) {
        // Of another clock, as telephone events.
        guard header.payloadType.staticClockRate ?? clockRate == clockRate else { return }
        let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let ticks = seconds &* clockRate &+ rest * clockRate / 1_000_000_000
        jitter.note(header.timestamp, arrival: RTPTimestamp(UInt32(truncatingIfNeeded: ticks)))
        count += 1
        guard count > 1 else { return }
        let milliseconds = Double(jitter.ticks) * 1000 / Double(clockRate)
        figures.mean += (milliseconds - figures.mean) / Double(count - 1)
        figures.maximum = max(figures.maximum, milliseconds)
    }

    /// The result; `nil` with fewer than two packets.
    var result: FileInspection.Jitter? { count > 1 ? figures : nil }
}

extension PayloadType {
    /// The clock rate in Hz that RFC 3551 §6 gives the type; `nil` for a dynamic one.
    fileprivate var staticClockRate: Int64? {
        switch rawValue {
        case 0, 3, 4, 5, 7, 8, 9, 12, 13, 15, 18: 8000
        case 6: 16_000
        case 10, 11: 44_100
        case 16: 11_025
        case 17: 22_050
        case 14, 25, 26, 28, 31...34: Int64(RTPTimestamp.videoClockRate)
        default: nil
        }
    }
}

/// The name of an RTCP packet, from its type and the five bits that distinguish kinds of feedback.
private func rtcpKind(_ type: RTCPPacketType, _ format: UInt8) -> String {
    switch (type, format) {
    case (.senderReport, _): "SR"
    case (.receiverReport, _): "RR"
    case (.sourceDescription, _): "SDES"
    case (.goodbye, _): "BYE"
    case (.application, _): "APP"
    case (.extendedReport, _): "XR"
    case (.transportFeedback, GenericNACK.format): "NACK"
    case (.transportFeedback, TransportFeedback.format): "transport-cc"
    case (.transportFeedback, CongestionControlFeedback.format): "ccfb"
    case (.transportFeedback, PauseResume.format): "PAUSE"
    case (.payloadFeedback, PictureLossIndication.format): "PLI"
    case (.payloadFeedback, FullIntraRequest.format): "FIR"
    // Application layer feedback, of which REMB is the one in use.
    case (.payloadFeedback, ReceiverEstimatedMaximumBitrate.format): "REMB"
    case (.transportFeedback, _), (.payloadFeedback, _): "\(type.rawValue)/\(format)"
    default: "\(type.rawValue)"
    }
}

import RillCore
import RillRTP

/// Gathers what can be said of the packets of one source.
struct PacketStreamMeter {
    let ssrc: SSRC
    private let codec: VideoCodec?
    private var numbers = SequenceMeter()
    private var sorter = PacketSorter()
    private var counts = FileInspection.Packets()
    private var payloadTypes: [UInt8: Int] = [:]
    private var rtcpKinds: [String: Int] = [:]
    private var trials: [CodecTrial] = []
    private(set) var timestamps = TimestampRing()
    private(set) var retransmission = RetransmissionTrial()

    /// Payload types from here on mean what the session says (RFC 3551 §3).
    private static let dynamicPayloadTypes: ClosedRange<UInt8> = 96...127
    /// Payload types of one source that are looked into for frames.
    private static let maximumTrialCount = 16

    /// A meter of the source `ssrc`, whose packets are taken for those of `codec`, or tried with each where that is `nil`.
    init(ssrc: SSRC, codec: VideoCodec?) {
        self.ssrc = ssrc
        self.codec = codec
    }

    /// Adds the next packet of the source, RTP or RTCP; `false` for what looks like one and is none.
    @discardableResult
    mutating func add(_ packet: Span<UInt8>, at time: MediaTime) -> Bool {
        switch PacketKind(of: packet) {
        case .rtp: addRTP(packet, at: time)
        case .rtcp: addRTCP(packet)
        case .other: false
        }
    }

    private mutating func addRTP(_ bytes: Span<UInt8>, at time: MediaTime) -> Bool {
        // What looks like RTP and cannot be read is no packet of the stream.
        guard let packet = try? RTPPacket(parsing: bytes) else { return false }
        counts.count += 1
        counts.bytes += bytes.count
        payloadTypes[packet.header.payloadType.rawValue, default: 0] += 1
        timestamps.add(packet.header.sequenceNumber, packet.header.timestamp)
        let number: Int64
        switch numbers.add(packet.header.sequenceNumber) {
        case .new(let new): number = new
        case .reordered(let late):
            counts.reordered += 1
            number = late
        case .duplicate:
            counts.duplicated += 1
            return true
        }
        beginTrials(of: packet.header.payloadType)
        sorter.insert(bytes, number: number, at: time) { bytes, time in
            PacketStreamMeter.try(bytes, at: time, &trials)
        }
        return true
    }

    /// A codec is tried with each payload type that could be its.
    private mutating func beginTrials(of payloadType: PayloadType) {
        guard trials.count < PacketStreamMeter.maximumTrialCount,
            !trials.contains(where: { $0.payloadType == payloadType }),
            codec != nil || PacketStreamMeter.dynamicPayloadTypes.contains(payloadType.rawValue)
        else { return }
        let candidates = codec.map { [$0] } ?? VideoCodec.packetized
        trials += candidates.map { CodecTrial(payloadType, $0) }
    }

    private static func `try`(_ bytes: Span<UInt8>, at time: MediaTime, _ trials: inout [CodecTrial]) {
        // It was read before, when it came.
        guard let packet = try? RTPPacket(parsing: bytes) else { return }
        for index in trials.indices where trials[index].payloadType == packet.header.payloadType {
            trials[index].add(packet, at: time)
        }
    }

    /// Looks whether the packet just added could be one of another source, sent again.
    mutating func compare(_ bytes: Span<UInt8>, with sources: borrowing [PacketStreamMeter]) {
        // Padding alone, which has no original, says nothing; nor does what cannot be read, which is counted elsewhere.
        guard retransmission.isOpen, PacketKind(of: bytes) == .rtp, let header = try? RTPHeader(parsing: bytes),
            let packet = try? RetransmittedPacket(parsing: bytes)
        else { return }
        let number = packet.originalSequenceNumber
        retransmission.add(
            sources.first { $0.ssrc != ssrc && $0.timestamps.fits(number, header.timestamp) }.map(\.ssrc))
    }

    private mutating func addRTCP(_ bytes: Span<UInt8>) -> Bool {
        counts.rtcp += 1
        var compound = RTCPCompound(bytes)
        do throws(RTPError) {
            while let packet = try compound.next() {
                rtcpKinds[rtcpKind(packet.type, packet.count), default: 0] += 1
            }
            return true
        } catch {
            rtcpKinds["unreadable", default: 0] += 1
            return false
        }
    }

    /// Whether two of its packets followed each other, or it sent reports: what is no source at all does neither.
    var isConfirmed: Bool { numbers.hasSequence || counts.rtcp > rtcpKinds["unreadable", default: 0] }

    /// All of its packets.
    var packetCount: Int { counts.count + counts.rtcp }

    /// What was gathered; nothing can be added after it.
    mutating func finish() -> FileInspection.Stream {
        sorter.drain { bytes, time in PacketStreamMeter.try(bytes, at: time, &trials) }
        let best = retransmission.original == nil ? best : nil
        var stream = best?.frames.stream ?? FileInspection.Stream()
        counts.lost = numbers.missing
        counts.payloadTypes = payloadTypes.map { FileInspection.PayloadTypeCount(payloadType: Int($0), count: $1) }
            .sorted { $0.payloadType < $1.payloadType }
        counts.rtcpKinds = rtcpKinds
        stream.ssrc = ssrc.description
        stream.packets = counts
        stream.payloadType = best.map { Int($0.payloadType.rawValue) }
        stream.descriptor = best?.descriptor
        stream.retransmissionsOf = retransmission.original?.description
        return stream
    }

    /// The trial that gave the most frames, of those that may be right; a codec that was told is right.
    private var best: CodecTrial? {
        trials.filter { codec != nil || $0.isPlausible }
            .max { ($0.frames.keyFrames, $0.frames.count) < ($1.frames.keyFrames, $1.frames.count) }
    }
}

/// What an RTCP packet is called, by its type and the five bits that tell kinds of feedback apart.
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
    case (.transportFeedback, PauseResume.format): "PAUSE"
    case (.payloadFeedback, PictureLossIndication.format): "PLI"
    case (.payloadFeedback, FullIntraRequest.format): "FIR"
    // Application layer feedback, of which REMB is the one in use.
    case (.payloadFeedback, ReceiverEstimatedMaximumBitrate.format): "REMB"
    case (.transportFeedback, _), (.payloadFeedback, _): "\(type.rawValue)/\(format)"
    default: "\(type.rawValue)"
    }
}

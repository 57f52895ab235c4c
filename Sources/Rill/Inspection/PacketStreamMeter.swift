import RillCore
import RillRTP

/// Gathers what can be said of the packets of one source.
struct PacketStreamMeter {
    let ssrc: SSRC
    private var extender = CounterExtender(bitWidth: 16)
    private var first: Int64?
    private var numbers: Set<Int64> = []
    private var counts = FileInspection.Packets(count: 0, lost: 0, reordered: 0, duplicated: 0, rtcp: 0)
    private var depacketizer = VP8Depacketizer()
    private var frame: [UInt8] = []
    private var frames = CodedStreamMeter(codec: .vp8)
    private var isVP8 = true

    init(ssrc: SSRC) {
        self.ssrc = ssrc
    }

    /// Adds the next packet of the source, RTP or RTCP.
    mutating func add(_ packet: Span<UInt8>, at time: MediaTime) {
        guard PacketKind(of: packet) == .rtp else {
            counts.rtcp += 1
            return
        }
        // What looks like RTP and cannot be read is no packet of the stream.
        guard let rtp = try? RTPPacket(parsing: packet) else { return }
        counts.count += 1
        let newest = extender.newest
        let number = extender.extend(UInt32(rtp.header.sequenceNumber.rawValue))
        first = min(first ?? number, number)
        if !numbers.insert(number).inserted {
            counts.duplicated += 1
        } else if let newest, number < newest {
            counts.reordered += 1
        }
        switch depacketizer.insert(rtp, into: &frame) {
        case .completed:
            let whole = frame
            frames.add(whole.span, at: time)
        case .malformed: isVP8 = false
        case .started, .continued, .empty, .outOfPlace: break
        }
    }

    /// What was gathered.
    var stream: FileInspection.Stream {
        var stream = isVP8 ? frames.stream : FileInspection.Stream()
        var packets = counts
        if let first, let newest = extender.newest { packets.lost = Int(newest - first) + 1 - numbers.count }
        stream.ssrc = ssrc.description
        stream.packets = packets
        return stream
    }
}

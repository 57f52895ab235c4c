import RillCore
import RillRTP

/// Packets of one payload type taken for those of one codec: what comes of it says whether they are.
struct CodecTrial {
    let payloadType: PayloadType
    let codec: VideoCodec
    private(set) var frames: CodedStreamMeter
    private(set) var descriptor = FileInspection.Descriptor()
    private var joiner: StreamJoiner
    private var frame: [UInt8] = []
    private var malformedCount = 0

    /// No packets yet.
    init(_ payloadType: PayloadType, _ codec: VideoCodec) {
        self.payloadType = payloadType
        self.codec = codec
        self.joiner = StreamJoiner(codec)
        self.frames = CodedStreamMeter(codec: codec)
    }

    /// Takes the packet that is next in line.
    mutating func add(_ packet: RTPPacket, at time: MediaTime) {
        descriptor.add(packet.payload, of: codec)
        switch joiner.insert(packet, into: &frame) {
        case .completed:
            let whole = frame
            frames.add(whole.span, at: time)
        case .malformed: malformedCount += 1
        case .incomplete: break
        }
    }

    /// Whether the packets may be of this codec: none of them, and no frame, speaks against it.
    var isPlausible: Bool { malformedCount == 0 && frames.malformedCount == 0 }
}

import RillCore
import RillRTP

/// Joins the packets of a stream to frames, whatever its codec is. A codec is a case here and a name in ``codecs``.
enum FrameJoiner {
    case vp8(VP8Depacketizer)

    /// The codecs whose packets can be joined, in the order in which a stream of unknown codec is tried with them.
    static let codecs: [VideoCodec] = [.vp8]

    /// What became of a packet.
    enum Outcome {
        /// The array holds a whole frame.
        case completed
        /// Nothing is whole yet, or what there was is given up.
        case incomplete
        /// It is no packet of this codec.
        case malformed
    }

    /// `nil` for a codec whose packets cannot be joined.
    init?(_ codec: VideoCodec) {
        switch codec {
        case .vp8: self = .vp8(VP8Depacketizer())
        case .vp9: return nil
        }
    }

    /// Takes the packet that is next in line.
    mutating func insert(_ packet: RTPPacket, into frame: inout [UInt8]) -> Outcome {
        switch self {
        case .vp8(var depacketizer):
            let outcome = depacketizer.insert(packet, into: &frame)
            self = .vp8(depacketizer)
            return switch outcome {
            case .completed: .completed
            case .started, .continued, .empty, .outOfPlace: .incomplete
            case .malformed: .malformed
            }
        }
    }
}

/// What the payload descriptors of a stream say.
struct DescriptorMeter {
    private(set) var descriptor = FileInspection.Descriptor()

    /// Takes the next packet's payload; what is no payload of `codec` is left out.
    mutating func add(_ payload: Span<UInt8>, of codec: VideoCodec) {
        switch codec {
        case .vp8:
            // The joiner counts what cannot be read.
            guard let (fields, _) = try? VP8PayloadDescriptor.parse(payload) else { return }
            descriptor.add(
                pictureIDBits: fields.pictureID?.bitWidth, temporalLayer: fields.temporalLayer.map { Int($0.index) },
                hasTL0PictureIndex: fields.tl0PictureIndex != nil)
        case .vp9: break
        }
    }
}

extension FileInspection.Descriptor {
    fileprivate mutating func add(pictureIDBits: Int?, temporalLayer: Int?, hasTL0PictureIndex: Bool) {
        self.pictureIDBits = pictureIDBits ?? self.pictureIDBits
        if let temporalLayer { temporalLayers = max(temporalLayers ?? 0, temporalLayer + 1) }
        if hasTL0PictureIndex { self.hasTL0PictureIndex = true }
    }
}

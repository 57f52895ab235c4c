import RillCore
import RillRTP

// All that inspection knows of single codecs: a codec more is a case more in each switch of this file.

extension VideoCodec {
    /// The codecs whose packets can be joined, in the order in which a stream of unknown codec is tried with them.
    static let packetized: [VideoCodec] = [.vp8, .vp9]

    /// The size of the picture, when `frame` is a key frame; `nil` for every other frame.
    ///
    /// - Throws: what is wrong with the frame's header.
    func keyFrameSize(of frame: Span<UInt8>) throws(BitstreamError) -> Resolution? {
        let header = try CodedFrameHeader(parsing: frame, as: self)
        return header.isKeyFrame ? header.resolution : nil
    }
}

extension VideoCodec {
    /// What a payload that is not empty says of its place in a frame; `nil` for what no sender of this codec writes.
    func place(of payload: Span<UInt8>) -> PayloadPlace? {
        switch self {
        case .vp8:
            // Reserved bits, which senders set to 0 and receivers ignore (RFC 7741 §4.2): this receiver wants to know.
            let (isExtended, reserved) = (payload[0] & 0x80 != 0, payload[0] & 0x48)
            guard reserved == 0, !isExtended || payload.count > 1 && payload[1] & 0x0F == 0,
                let fields = (try? VP8Payload(parsing: payload))?.descriptor  // what cannot be read is none
            else { return nil }
            return PayloadPlace(startsFrame: fields.startsFrame)
        case .vp9:
            guard let fields = (try? VP9Payload(parsing: payload))?.descriptor else { return nil }  // as above
            return PayloadPlace(startsFrame: fields.startsFrame, endsFrame: fields.endsFrame)
        default: return nil
        }
    }

    /// Whether what the header of a whole frame says fits the frame.
    func isPlausible(_ frame: Span<UInt8>) -> Bool {
        switch self {
        case .vp8:
            // What cannot be read fits nothing.
            guard let header = try? VP8FrameHeader(parsing: frame) else { return false }
            // Versions above 3 are not defined (RFC 6386 §9.1), and the first partition is never empty.
            return header.version <= 3
                && (1...max(1, frame.count - header.byteCount)).contains(header.firstPartitionByteCount)
        case .vp9: return (try? CodedFrameHeader(parsing: frame, as: self)) != nil
        default: return false
        }
    }
}

/// Joins the packets of a stream to frames, whatever its codec is.
enum StreamJoiner {
    case vp8(VP8Depacketizer)
    case vp9(VP9Depacketizer)
    /// The packets of this codec are not known here: none is one.
    case unknown

    /// What became of a packet.
    enum Outcome {
        /// The array holds a whole frame.
        case completed
        /// Nothing is whole yet, or what there was is given up.
        case incomplete
        /// It is no packet of this codec.
        case malformed
    }

    init(_ codec: VideoCodec) {
        switch codec {
        case .vp8: self = .vp8(VP8Depacketizer())
        case .vp9: self = .vp9(VP9Depacketizer())
        default: self = .unknown
        }
    }

    /// Takes the packet that is next in line.
    mutating func insert(_ packet: RTPPacket, into frame: inout [UInt8]) -> Outcome {
        let outcome: DepacketizeOutcome
        switch self {
        case .vp8(var depacketizer):
            outcome = depacketizer.insert(packet, into: &frame)
            self = .vp8(depacketizer)
        case .vp9(var depacketizer):
            outcome = depacketizer.insert(packet, into: &frame)
            self = .vp9(depacketizer)
        case .unknown: return .malformed
        }
        return switch outcome {
        case .completed: .completed
        case .started, .continued, .empty, .outOfPlace: .incomplete
        case .malformed: .malformed
        }
    }
}

extension FileInspection.Descriptor {
    /// Takes in what the descriptor of the next packet says; what is no payload of `codec` is left out.
    mutating func add(_ payload: Span<UInt8>, of codec: VideoCodec) {
        // A payload that cannot be read says nothing; the joiner finds it malformed.
        switch codec {
        case .vp8:
            guard let fields = (try? VP8Payload(parsing: payload))?.descriptor else { return }
            add(
                pictureIDBits: fields.pictureID?.bitWidth, temporalLayer: fields.temporalLayer.map { Int($0.index) },
                hasTL0PictureIndex: fields.tl0PictureIndex != nil)
        case .vp9:
            guard let fields = (try? VP9Payload(parsing: payload))?.descriptor else { return }
            add(
                pictureIDBits: fields.pictureID?.bitWidth, temporalLayer: fields.layer.map { Int($0.temporalIndex) },
                hasTL0PictureIndex: fields.tl0PictureIndex != nil)
            if let layer = fields.layer { spatialLayers = max(spatialLayers ?? 0, Int(layer.spatialIndex) + 1) }
        default: break
        }
    }

    private mutating func add(pictureIDBits: Int?, temporalLayer: Int?, hasTL0PictureIndex: Bool) {
        self.pictureIDBits = pictureIDBits ?? self.pictureIDBits
        if let temporalLayer { temporalLayers = max(temporalLayers ?? 0, temporalLayer + 1) }
        if hasTL0PictureIndex { self.hasTL0PictureIndex = true }
    }
}

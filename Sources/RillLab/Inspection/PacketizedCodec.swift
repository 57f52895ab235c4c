import RillCore
import RillRTP

// All codec knowledge of the inspection: a new codec is a new case in each switch of this file.

extension VideoCodec {
    /// The codecs whose packets can be joined, in the order in which an unknown stream is tried with them.
    static let packetized: [VideoCodec] = [.vp8, .vp9]

    /// The size of the picture if `frame` is a key frame; `nil` for any other frame.
    ///
    /// - Throws: the error in the frame's header.
    func keyFrameSize(of frame: Span<UInt8>) throws(BitstreamError) -> Resolution? {
        let header = try CodedFrameHeader(parsing: frame, as: self)
        return header.isKeyFrame ? header.resolution : nil
    }
}

extension VideoCodec {
    /// A non-empty payload's position in a frame; `nil` for a payload that no sender of this codec writes.
    func place(of payload: Span<UInt8>) -> PayloadPlace? {
        switch self {
        case .vp8:
            // Reserved bits, which senders set to 0 and receivers ignore (RFC 7741 §4.2): checked here.
            let (isExtended, reserved) = (payload[0] & 0x80 != 0, payload[0] & 0x48)
            guard reserved == 0, !isExtended || payload.count > 1 && payload[1] & 0x0F == 0,
                let fields = (try? VP8Payload(parsing: payload))?.descriptor  // an error means: not one
            else { return nil }
            return PayloadPlace(startsFrame: fields.startsFrame)
        case .vp9:
            guard let fields = (try? VP9Payload(parsing: payload))?.descriptor else { return nil }  // as above
            return PayloadPlace(startsFrame: fields.startsFrame, endsFrame: fields.endsFrame)
        default: return nil
        }
    }

    /// Whether the header of a complete frame is plausible.
    func isPlausible(_ frame: Span<UInt8>) -> Bool {
        switch self {
        case .vp8:
            // A header that cannot be parsed is not.
            guard let header = try? VP8FrameHeader(parsing: frame) else { return false }
            // Versions above 3 are not defined (RFC 6386 §9.1), and the first partition is never empty.
            return header.version <= 3
                && (1...max(1, frame.count - header.byteCount)).contains(header.firstPartitionByteCount)
        case .vp9: return (try? CodedFrameHeader(parsing: frame, as: self)) != nil
        default: return false
        }
    }
}

/// Joins the packets of a stream into frames, for any codec.
enum StreamJoiner {
    case vp8(VP8Depacketizer)
    case vp9(VP9Depacketizer)
    /// A codec whose packets are unknown here.
    case unknown

    /// The outcome of a packet.
    enum Outcome {
        /// The array holds a complete frame.
        case completed
        /// No frame is complete yet, or a partial one was given up.
        case incomplete
        /// It is not a packet of this codec.
        case malformed
    }

    init(_ codec: VideoCodec) {
        switch codec {
        case .vp8: self = .vp8(VP8Depacketizer())
        case .vp9: self = .vp9(VP9Depacketizer())
        default: self = .unknown
        }
    }

    /// Inserts the next packet in sequence.
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
    /// Adds the descriptor of the next packet; a payload that is not of `codec` is ignored.
    mutating func add(_ payload: Span<UInt8>, of codec: VideoCodec) {
        // A payload that cannot be parsed shows nothing; the joiner reports it as malformed.
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

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

/// Joins the packets of a stream to frames, whatever its codec is.
enum StreamJoiner {
    case vp8(VP8Depacketizer)
    case vp9(VP9Depacketizer)

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
            guard let (fields, _) = try? VP8PayloadDescriptor.parse(payload) else { return }
            add(
                pictureIDBits: fields.pictureID?.bitWidth, temporalLayer: fields.temporalLayer.map { Int($0.index) },
                hasTL0PictureIndex: fields.tl0PictureIndex != nil)
        case .vp9:
            guard let fields = (try? VP9Payload(parsing: payload))?.descriptor else { return }
            add(
                pictureIDBits: fields.pictureID?.bitWidth, temporalLayer: fields.layer.map { Int($0.temporalIndex) },
                hasTL0PictureIndex: fields.tl0PictureIndex != nil)
            if let layer = fields.layer { spatialLayers = max(spatialLayers ?? 0, Int(layer.spatialIndex) + 1) }
        }
    }

    private mutating func add(pictureIDBits: Int?, temporalLayer: Int?, hasTL0PictureIndex: Bool) {
        self.pictureIDBits = pictureIDBits ?? self.pictureIDBits
        if let temporalLayer { temporalLayers = max(temporalLayers ?? 0, temporalLayer + 1) }
        if hasTL0PictureIndex { self.hasTL0PictureIndex = true }
    }
}

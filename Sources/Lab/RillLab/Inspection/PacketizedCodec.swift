import RillCore
import RillRTP

extension VideoCodec {
    /// The size of the picture if `frame` is a key frame; `nil` for any other frame.
    ///
    /// - Throws: the error in the frame's header.
    func keyFrameSize(of frame: Span<UInt8>) throws(BitstreamError) -> Resolution? {
        let header = try CodedFrameHeader(parsing: frame, as: self)
        return header.isKeyFrame ? header.resolution : nil
    }

    /// What a non-empty payload says about its frame; `nil` for a payload that no sender of this codec writes.
    func payload(_ bytes: Span<UInt8>) -> FramePayload? {
        guard let video = traits?.video, video.isWrittenPayload(bytes) else { return nil }
        return parsed(bytes)
    }

    /// What a payload says about its frame; `nil` if it is not one of this codec.
    fileprivate func parsed(_ bytes: Span<UInt8>) -> FramePayload? {
        // Why does not matter here; the joiner reports it as malformed.
        try? FrameFormat(self, own: .numbered).parse(bytes)
    }
}

/// Joins the packets of a stream into frames, for any built-in codec.
struct StreamJoiner {
    /// `nil` for a codec whose packets are unknown here.
    private var depacketizer: FrameDepacketizer?

    /// The outcome of a packet.
    enum Outcome {
        /// The array holds a complete frame.
        case completed
        /// No frame is complete yet, or a partial one was given up.
        case incomplete
        /// It is not a packet of this codec.
        case malformed
    }

    init(_ codec: VideoCodec) { depacketizer = codec.isBuiltIn ? FrameDepacketizer(codec) : nil }

    /// Inserts the next packet in sequence.
    mutating func insert(_ packet: RTPPacket, into frame: inout [UInt8]) -> Outcome {
        switch depacketizer?.insert(packet, into: &frame) {
        case .completed: .completed
        case .started, .continued, .empty, .outOfPlace: .incomplete
        case .malformed, nil: .malformed
        }
    }
}

extension FileInspection.Descriptor {
    /// Adds the descriptor of the next packet; a payload that is not of `codec` is ignored.
    mutating func add(_ payload: Span<UInt8>, of codec: VideoCodec) {
        guard codec.isBuiltIn, let fields = codec.parsed(payload) else { return }
        pictureIDBits = fields.counter.map { Int($0.bitWidth) } ?? pictureIDBits
        if let index = fields.temporalIndex { temporalLayers = max(temporalLayers ?? 0, Int(index) + 1) }
        if let index = fields.spatialIndex { spatialLayers = max(spatialLayers ?? 0, Int(index) + 1) }
        if fields.baseIndex != nil { hasTL0PictureIndex = true }
    }
}

public import RillCore

// All that the table, the wire and the packets of any codec ask of VP8.

extension VideoCodec {
    /// VP8: RFC 6386; RTP payload format RFC 7741.
    @inlinable public static var vp8: VideoCodec { VideoCodec(head: 0x38_50_56, tail: 0) }
}

extension CodecTraits {
    /// VP8 (RFC 7741).
    static let vp8 = CodecTraits(
        "VP8", payloadType: PayloadType(96), hasFrameLimits: true,
        video: Video(
            codec: .vp8, ivfTag: "VP80", containerName: "vp8", quantizers: 0...127, declaresColors: false,
            isKeyMarkedByFFmpeg: true,
            // RFC 6386 §9.1: the lowest bit is 0 in a key frame, the fifth is 1 if it is shown.
            start: { bytes in (bytes.count >= 10 && bytes[0] & 1 == 0, bytes.isEmpty || bytes[0] & 0x10 != 0) },
            hasHiddenPackets: true,
            shownFrameCount: { _ in 1 },
            colors: { _ in nil },
            isWrittenPayload: { payload in
                // Reserved bits, which senders set to 0 and receivers ignore (RFC 7741 §4.2): checked here.
                let (isExtended, reserved) = (payload[0] & 0x80 != 0, payload[0] & 0x48)
                return reserved == 0 && (!isExtended || payload.count > 1 && payload[1] & 0x0F == 0)
            },
            isPlausible: { frame in
                // A header that cannot be parsed is not.
                guard let header = try? VP8FrameHeader(parsing: frame) else { return false }
                // Versions above 3 are not defined (RFC 6386 §9.1), and the first partition is never empty.
                return header.version <= 3
                    && (1...max(1, frame.count - header.byteCount)).contains(header.firstPartitionByteCount)
            }))
}

extension RTPFormat {
    /// VP8 (RFC 7741).
    public static func vp8(_ payloadType: PayloadType, feedback: [RTCPFeedback] = []) -> RTPFormat {
        RTPFormat(payloadType, encoding: CodecTraits.vp8.encoding, feedback: feedback)
    }
}

extension CodedFrameHeader {
    init(_ header: VP8FrameHeader) {
        self.init(
            isKeyFrame: header.isKeyFrame, isShown: header.isShown, width: header.keyFrame?.width ?? 0,
            height: header.keyFrame?.height ?? 0)
    }
}

extension VP8Payload {
    /// What a payload says about its frame.
    static func frame(in payload: Span<UInt8>) throws(RTPError) -> FramePayload {
        let parsed = try VP8Payload(parsing: payload)
        let (descriptor, piece) = (parsed.descriptor, parsed.piece)
        var frame = FramePayload(startsFrame: descriptor.startsFrame, offset: payload.count - piece.count)
        // RFC 6386 §9.1: the lowest bit of a frame is 0 if it is a key frame.
        frame.isKey = descriptor.startsFrame && piece[0] & 1 == 0
        frame.isDiscardable = descriptor.isNonReference
        frame.counter = descriptor.pictureID.map { FramePayload.Counter($0) }
        frame.temporalIndex = descriptor.temporalLayer?.index
        frame.isLayerSync = descriptor.temporalLayer?.isLayerSync ?? false
        frame.baseIndex = descriptor.tl0PictureIndex
        return frame
    }
}

/// Converts the encoder's frame properties to VP8 payload descriptors (RFC 7741 §4.2).
///
/// Descriptors have 15-bit picture IDs and, for streams with several temporal layers, TID, Y and TL0PICIDX.
struct VP8FrameNumbering {
    private var counters: PictureCounters

    init(_ settings: FrameNumbering.Settings) {
        counters = PictureCounters(settings)
    }

    /// Returns the descriptor of the next frame.
    mutating func descriptor(for frame: EncodedFrame) -> VP8PayloadDescriptor {
        let index = counters.advance(to: frame)
        var descriptor = VP8PayloadDescriptor(
            isNonReference: frame.isDiscardable, startsPartition: true, pictureID: counters.pictureID)
        if counters.hasLayers {
            descriptor.tl0PictureIndex = counters.tl0PictureIndex
            descriptor.temporalLayer = VP8PayloadDescriptor.TemporalLayer(
                index: index, isLayerSync: frame.isLayerSync)
        }
        return descriptor
    }
}

public import RillCore

// All that the table, the wire and the packets of any codec ask of VP9.

extension VideoCodec {
    /// VP9: bitstream specification, version 0.7; RTP payload format RFC 9628.
    @inlinable public static var vp9: VideoCodec { VideoCodec(head: 0x39_50_56, tail: 0) }
}

extension CodecTraits {
    /// VP9 (RFC 9628), of profile 0.
    static let vp9 = CodecTraits(
        "VP9", payloadType: PayloadType(98), parameters: [RTPFormat.Parameter(profile, "0")],
        variant: .parameter(profile, default: "0"),
        video: Video(
            codec: .vp9, ivfTag: "VP90", containerName: "vp9", quantizers: 0...255, declaresColors: true,
            isKeyMarkedByFFmpeg: false,
            start: { bytes in
                // VP9 §6.2: a frame marker of two bits, two bits of the profile (and a reserved zero in profile 3),
                // show_existing_frame, frame_type (0 is a key frame), show_frame.
                guard bytes.count >= 4, bytes[0] >> 6 == 2 else { return (false, true) }
                let fields = bytes[0] & 0x30 == 0x30 ? bytes[0] & 0xF : bytes[0] >> 1 & 7
                return (fields & 0b1110 == 0, fields & 0b101 != 0)
            },
            hasHiddenPackets: false,
            shownFrameCount: { VP9Superframe.shownFrameCount($0) },
            colors: { frame in
                guard case .key(let picture, _)? = (try? VP9FrameHeader(parsing: frame))?.kind else { return nil }
                return picture.colors
            },
            isWrittenPayload: { _ in true },
            isPlausible: { frame in (try? CodedFrameHeader(vp9: frame)) != nil }))

    /// The parameter with the profile (RFC 9628 §6.1).
    fileprivate static let profile = "profile-id"
}

extension RTPFormat {
    /// VP9 with a profile, 0 to 3 (RFC 9628).
    public static func vp9(
        _ payloadType: PayloadType, profile: Int = 0, feedback: [RTCPFeedback] = []
    ) -> RTPFormat {
        RTPFormat(
            payloadType, encoding: CodecTraits.vp9.encoding,
            parameters: [Parameter(CodecTraits.profile, "\(profile)")], feedback: feedback)
    }
}

extension CodedFrameHeader {
    init(vp9 payload: Span<UInt8>) throws(BitstreamError) {
        let frames = try VP9Superframe(parsing: payload)
        var (isKeyFrame, isShown, profile, width, height) = (false, false, 0, 0, 0)
        for index in 0..<frames.frameCount {
            let header = try VP9FrameHeader(parsing: payload.extracting(frames[index]))
            if index == 0 { isKeyFrame = header.isKeyFrame }
            isShown = isShown || header.isShown
            profile = max(profile, Int(header.profile))
            width = max(width, header.size?.width ?? 0)
            height = max(height, header.size?.height ?? 0)
        }
        self.init(
            isKeyFrame: isKeyFrame, isShown: isShown, profile: profile, width: width, height: height,
            hasSuperframeIndex: frames.hasIndex)
    }
}

extension VP9Payload {
    /// What a payload says about its frame. A picture starts with its lowest spatial layer; the others are pieces.
    static func frame(in payload: Span<UInt8>) throws(RTPError) -> FramePayload {
        let parsed = try VP9Payload(parsing: payload)
        var frame = opaque(parsed, byteCount: payload.count)
        // VP9 §6.2: frame_type, after marker, profile (of two bits) and show_existing_frame, is 0 in a key frame.
        frame.isKey = frame.isKey && parsed.piece[0] & 0b1100 == 0
        (frame.width, frame.height) = (0, 0)
        return frame
    }

    /// The same without a look at the frame, which may be encrypted. A picture that is predicted from no other (P) is a
    /// key frame; its size is that of the highest layer in the scalability structure.
    static func opaqueFrame(in payload: Span<UInt8>) throws(RTPError) -> FramePayload {
        opaque(try VP9Payload(parsing: payload), byteCount: payload.count)
    }

    private static func opaque(_ parsed: borrowing VP9Payload, byteCount: Int) -> FramePayload {
        let descriptor = parsed.descriptor
        let layer = descriptor.layer
        var frame = FramePayload(
            startsFrame: parsed.startsPicture, startsLayer: descriptor.startsFrame,
            offset: byteCount - parsed.piece.count)
        frame.endsLayer = descriptor.endsFrame
        frame.isKey = frame.startsFrame && !descriptor.isInterPicturePredicted
        if frame.isKey, let structure = parsed.scalabilityStructure,
            let size = structure.size(ofLayer: structure.spatialLayerCount - 1)
        {
            (frame.width, frame.height) = (size.width, size.height)
        }
        frame.counter = descriptor.pictureID.map { FramePayload.Counter($0) }
        frame.temporalIndex = layer?.temporalIndex
        frame.spatialIndex = layer?.spatialIndex
        frame.baseIndex = descriptor.tl0PictureIndex
        frame.hasGroup = parsed.scalabilityStructure != nil
        guard frame.counter != nil else { return frame }
        frame.references =
            descriptor.isFlexible || !descriptor.isInterPicturePredicted
            ? .listed(descriptor.references) : .ofGroup
        return frame
    }

    /// Whether a payload, of packets that arrive in order, holds the first bytes of a picture, and where they start.
    static func piece(
        in payload: Span<UInt8>, continuesPicture: Bool
    ) throws(RTPError) -> (startsFrame: Bool, offset: Int) {
        let parsed = try VP9Payload(parsing: payload)
        // A layer that is predicted from the one below is never the first of its picture. A layer that is not
        // (other than the lowest) is the first, unless the picture has already started.
        let layer = parsed.descriptor.layer
        let startsPicture =
            parsed.descriptor.startsFrame && layer?.isInterLayerPredicted != true
            && (!continuesPicture || (layer?.spatialIndex ?? 0) == 0)
        return (startsPicture, payload.count - parsed.piece.count)
    }

    /// The offset of the frame's bytes in a payload that does not start a picture and has no structure; `nil` for any
    /// other.
    static func continuationOffset(_ payload: Span<UInt8>) throws(RTPError) -> Int? {
        let parsed = try VP9Payload(parsing: payload)
        return parsed.startsPicture || parsed.scalabilityStructure != nil ? nil : payload.count - parsed.piece.count
    }

    /// The group of pictures in the payload's scalability structure.
    static func group(in payload: Span<UInt8>) -> PictureGroup {
        guard let parsed = try? VP9Payload(parsing: payload), let structure = parsed.scalabilityStructure else {
            return PictureGroup()
        }
        return PictureGroup(structure)
    }

    private var startsPicture: Bool { descriptor.startsFrame && (descriptor.layer?.spatialIndex ?? 0) == 0 }
}

extension PictureGroup {
    /// The group of a structure; without pictures if it has none, or too many.
    package init(_ structure: borrowing VP9ScalabilityStructure) {
        var group = PictureGroup()
        if structure.pictureCount ?? 0 <= PictureGroup.maximumCount {
            structure.forEachPicture { picture in
                group.append(
                    Picture(temporalIndex: picture.temporalIndex, references: picture.references))
            }
        }
        self = group
    }
}

public import RillCore

/// The payload format of a stream: how frames become packets and packets frames again, for any codec.
///
/// A value. Parsing accepts any bytes and allocates nothing.
package enum FrameFormat: Sendable {
    case vp8, vp9
    /// An app's own codec.
    case own(PayloadFormat)

    /// The format of a codec; `format` is that of an app's own.
    package init(_ codec: VideoCodec, own format: PayloadFormat) {
        switch codec {
        case .vp8: self = .vp8
        case .vp9: self = .vp9
        default: self = .own(format)
        }
    }

    /// Returns the offset of the frame's bytes in a payload that does not start a frame and carries nothing about
    /// others; `nil` for any other.
    @inlinable @inline(__always)  // Hot path: runs for every packet.
    package func continuationOffset(_ payload: Span<UInt8>) throws(RTPError) -> Int? {
        switch self {
        case .vp8:
            let (startsFrame, offset) = try VP8PayloadDescriptor.skim(payload)
            return startsFrame ? nil : offset
        case .vp9: return try VP9Payload.continuationOffset(payload)
        case .own: return try ownContinuationOffset(payload)
        }
    }

    @usableFromInline @inline(never)
    func ownContinuationOffset(_ payload: Span<UInt8>) throws(RTPError) -> Int? {
        let parsed = try parse(payload)
        return parsed.startsFrame ? nil : parsed.offset
    }

    /// Parses a payload, which is not empty.
    ///
    /// - Throws: what the format's parser throws, and `emptyPayload` if no frame data follows.
    package func parse(_ payload: Span<UInt8>) throws(RTPError) -> FramePayload {
        switch self {
        case .vp8: return try VP8Payload.frame(in: payload)
        case .vp9: return try VP9Payload.frame(in: payload)
        case .own(let format):
            guard !payload.isEmpty else { throw .emptyPayload }
            let piece = try format.parse(payload)
            // The format may be third-party code, so its result is checked.
            guard piece.offset >= 0, piece.offset < payload.count else { throw .emptyPayload }
            return FramePayload(piece)
        }
    }

    /// The group of pictures in a payload that ``FramePayload/hasGroup``; without pictures in any other.
    package func group(in payload: Span<UInt8>) -> PictureGroup {
        switch self {
        case .vp9: VP9Payload.group(in: payload)
        case .vp8, .own: PictureGroup()
        }
    }
}

extension CodedFrameHeader {
    /// Parses the headers of a coded frame. The bytes after the headers are ignored.
    ///
    /// - Parameters:
    ///   - payload: the coded frame, or a VP9 superframe.
    ///   - codec: the codec of the bytes.
    /// - Throws: ``BitstreamError``; `unknownCodec` unless the codec is built in.
    public init(parsing payload: Span<UInt8>, as codec: VideoCodec) throws(BitstreamError) {
        // Hot path: runs for every frame, and a look into the table would copy the traits.
        switch codec {
        case .vp8: self.init(try VP8FrameHeader(parsing: payload))
        case .vp9: try self.init(vp9: payload)
        default: throw .unknownCodec(codec)
        }
    }
}

extension FramePayload {
    /// A frame without distances needs the previous frame, whatever its temporal layer is: it then counts as layer 0.
    fileprivate init(_ piece: PayloadPiece) {
        self.init(startsFrame: piece.startsFrame, offset: piece.offset)
        let frame = piece.frame
        isKey = piece.startsFrame && frame.isKey
        isDiscardable = frame.isDiscardable
        if isKey { (width, height) = (frame.width, frame.height) }
        guard let number = frame.number else { return }
        counter = Counter(value: number, bitWidth: 16)
        guard frame.isKey || frame.distances.count > 0 else { return }
        var distances = ReferenceDistances()
        for index in 0..<frame.distances.count { distances.append(frame.distances[index]) }
        references = .listed(distances)
        temporalIndex = frame.temporalIndex
    }
}

/// Joins the packets of a stream that arrive in order into frames, for any built-in codec.
package struct FrameDepacketizer: Sendable {
    private var joiner: Joiner

    private enum Joiner {
        case vp8(VP8Depacketizer)
        case vp9(VP9Depacketizer)
    }

    /// A depacketizer; `nil` for an app's own codec.
    package init?(_ codec: VideoCodec) {
        switch codec {
        case .vp8: joiner = .vp8(VP8Depacketizer())
        case .vp9: joiner = .vp9(VP9Depacketizer())
        default: return nil
        }
    }

    /// Inserts the next packet in sequence and appends its piece to `frame`.
    package mutating func insert(_ packet: RTPPacket, into frame: inout [UInt8]) -> DepacketizeOutcome {
        switch joiner {
        case .vp8(var depacketizer):
            defer { joiner = .vp8(depacketizer) }
            return depacketizer.insert(packet, into: &frame)
        case .vp9(var depacketizer):
            defer { joiner = .vp9(depacketizer) }
            return depacketizer.insert(packet, into: &frame)
        }
    }
}

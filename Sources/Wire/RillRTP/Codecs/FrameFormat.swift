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
    package func continuationOffset(_ payload: Span<UInt8>) throws(RTPError) -> Int? {
        if case .vp9 = self { return try VP9Payload.continuationOffset(payload) }
        let parsed = try parse(payload)
        return parsed.startsFrame ? nil : parsed.offset
    }

    /// Whether a payload, of packets that arrive in order, holds the first bytes of a frame, and where they start.
    func piece(
        in payload: Span<UInt8>, continuesFrame: Bool
    ) throws(RTPError) -> (startsFrame: Bool, offset: Int) {
        if case .vp9 = self { return try VP9Payload.piece(in: payload, continuesPicture: continuesFrame) }
        let parsed = try parse(payload)
        return (parsed.startsFrame, parsed.offset)
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
            for index in 0..<piece.frame.distances.count where piece.frame.distances[index] == 0 {
                throw .invalidReference(distance: 0)
            }
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
        references = .listed(frame.distances)
        temporalIndex = frame.temporalIndex
    }
}

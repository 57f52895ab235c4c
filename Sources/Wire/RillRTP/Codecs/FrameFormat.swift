public import RillCore

/// The payload format of a stream: how frames become packets and packets frames again, for any codec.
///
/// A value. Parsing accepts any bytes and allocates nothing.
package enum FrameFormat: Sendable {
    case vp8, vp9
    /// VP9 whose frames may be encrypted: only descriptors are read.
    case opaqueVP9
    /// An app's own codec.
    case own(PayloadFormat)

    /// The format of a codec; `format` is that of an app's own.
    ///
    /// - Parameters:
    ///   - codec: the codec.
    ///   - format: the format of an app's own.
    ///   - isOpaque: whether frames may be encrypted, behind the descriptors.
    package init(_ codec: VideoCodec, own format: PayloadFormat, isOpaque: Bool = false) {
        switch codec {
        case .vp8: self = .vp8
        case .vp9: self = isOpaque ? .opaqueVP9 : .vp9
        default: self = .own(format)
        }
    }

    /// Returns the offset of the frame's bytes in a payload that does not start a frame and carries nothing about
    /// others; `nil` for any other.
    package func continuationOffset(_ payload: Span<UInt8>) throws(RTPError) -> Int? {
        switch self {
        case .vp9, .opaqueVP9: return try VP9Payload.continuationOffset(payload)
        case .vp8, .own: break
        }
        let parsed = try parse(payload)
        return parsed.startsFrame ? nil : parsed.offset
    }

    /// Whether a payload, of packets that arrive in order, holds the first bytes of a frame, and where they start.
    func piece(
        in payload: Span<UInt8>, continuesFrame: Bool
    ) throws(RTPError) -> (startsFrame: Bool, offset: Int) {
        switch self {
        case .vp9, .opaqueVP9: return try VP9Payload.piece(in: payload, continuesPicture: continuesFrame)
        case .vp8, .own: break
        }
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
        case .opaqueVP9: return try VP9Payload.opaqueFrame(in: payload)
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
        case .vp9, .opaqueVP9: VP9Payload.group(in: payload)
        case .vp8, .own: PictureGroup()
        }
    }
}

extension CodedFrameHeader {
    /// What is known of a frame that may be encrypted: what its packets say, and of a key frame of VP8 whose packets do
    /// not have its size, the header, which is left in the clear so that forwarders can read it.
    ///
    /// A size that nothing tells is ``RillCore/Resolution/unknown``. That the frame is shown is assumed.
    ///
    /// - Parameters:
    ///   - payload: the frame.
    ///   - codec: its codec.
    ///   - isKey: whether it is a key frame, as its packets say.
    ///   - told: the size that they say; `nil` for none.
    /// - Throws: ``BitstreamError``, for a key frame of VP8 whose header is not in the clear.
    package init(
        opaque payload: Span<UInt8>, as codec: VideoCodec, isKey: Bool, told: Resolution?
    ) throws(BitstreamError) {
        var size = told
        if codec == .vp8, isKey, told == nil { size = try VP8FrameHeader.size(ofOpaqueKeyFrame: payload) }
        let known = size ?? .unknown
        self.init(isKeyFrame: isKey, width: isKey ? known.width : 0, height: isKey ? known.height : 0)
    }

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

/// Turns the pictures of one stream into coded frames: libvpx (`VPXEncoder` of RillCodec), or an app's own, such as a
/// hardware encoder.
///
/// One owner, one thread at a time. Methods are synchronous and may take as long as coding takes; nothing else waits for
/// them but the stream's next picture.
///
/// To be the same every time (a trace replayed gives the same bytes), an encoder reads no clock and draws no random numbers:
/// its bytes depend on pictures, capture times, requests and settings alone.
public protocol VideoEncoder: AnyObject {
    /// What it has done so far. Read behind every picture, so it costs no more than a copy.
    var statistics: EncoderStatistics { get }

    /// Codes one picture: I420, limited range, of the size that was set last.
    ///
    /// `body` is called with each frame that is ready, before this returns: once as a rule; not at all where the picture was
    /// left out or is held back; more often where an encoder that looked ahead catches up. The bytes are the encoder's
    /// memory, and nobody looks at them once `body` has returned.
    ///
    /// What the frame says of itself is what receivers go by: `number` counts the frames from 0 without gaps, over restarts
    /// too; `references` names those that it needs, none for a key frame; capture time, rotation and stamps are the
    /// picture's.
    ///
    /// - Parameters:
    ///   - frame: the picture. It may be kept, but comes from a pool of fixed size: an encoder that looks ahead far
    ///     copies it. Capture times may lie as unevenly as they like.
    ///   - isKeyFrame: whether the picture has to become a key frame. Such a picture is not left out.
    /// - Returns: what became of the picture.
    /// - Throws: what the codec says against the picture, or what `body` throws. It ends neither stream nor encoder: the next
    ///   picture may come.
    func encode(
        _ frame: VideoFrame, isKeyFrame: Bool, _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws -> EncoderOutcome

    /// Changes what the encoder makes from the next picture on. The same again costs nothing; another size may need a key
    /// frame.
    ///
    /// - Parameters:
    ///   - settings: those that it was made with, but for what changed. The codec, the effort and the temporal pattern do not.
    ///   - resolution: the size of the pictures to come.
    ///   - frameRate: the rate that they are expected at; stamps say what it really is.
    ///   - bitrate: the rate control's target, 1 kbit/s to 1 Gbit/s.
    /// - Throws: what the codec says against it; the encoder then goes on as it was.
    func change(
        to settings: EncoderSettings, resolution: Resolution, frameRate: FrameRate, bitrate: Bitrate
    ) throws

    /// Starts the codec anew, with a key frame: it is suspected of a fault. Frame numbers go on.
    func restart() throws

    /// Gives the frames that are still held back, when no picture will follow. Called once, at the end.
    func finish(_ body: (EncodedFrame, Span<UInt8>) throws -> Void) throws
}

extension VideoEncoder {
    /// Nothing is held back.
    public func finish(_ body: (EncodedFrame, Span<UInt8>) throws -> Void) {}
}

/// What became of a picture that a ``VideoEncoder`` was given.
public enum EncoderOutcome: Sendable, Equatable {
    /// It was coded, with that quantizer index on the codec's own scale (0 to 127 of VP8, 0 to 255 of VP9); `nil` of an
    /// encoder that says none.
    case coded(quantizer: Int?)
    /// The rate control left it out.
    case dropped
    /// The encoder holds it back, since it looks ahead.
    case held
}

/// Counts since an encoder was made, whatever its codec is, under the names of W3C webrtc-stats' outbound-rtp where they
/// exist.
public struct EncoderStatistics: Codable, Sendable, Equatable {
    /// Frames coded that show a picture.
    public var framesEncoded = 0
    /// Frames coded that show none; see ``EncodedFrame/isHidden``.
    public var hiddenFramesEncoded = 0
    /// Of these, key frames.
    public var keyFramesEncoded = 0
    /// Pictures that the rate control left out.
    public var framesDropped = 0
    /// Sum of the frames' quantizer indices, on the codec's own scale: 0 to 127 each for VP8, 0 to 255 for VP9; 0 where an
    /// encoder says none.
    public var qpSum = 0
    /// Bytes of coded frames.
    public var bytesEncoded = 0

    /// Nothing counted yet.
    public init() {}
}

extension EncoderStatistics: CustomStringConvertible {
    /// What is not zero, by name: `framesEncoded 120, keyFramesEncoded 1`.
    public var description: String { countedText(self) }
}

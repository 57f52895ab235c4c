/// An encoder for the pictures of one stream: libvpx (`VPXEncoder` of RillCodec) or an app's own, such as a hardware
/// encoder.
///
/// One owner, one thread at a time. Methods are synchronous and may take as long as coding takes. Only the stream's
/// next picture waits for them.
///
/// Replaying a trace must produce the same bytes. So an encoder reads no clock and uses no random numbers: its output
/// depends only on pictures, capture times, requests and settings.
public protocol VideoEncoder: AnyObject {
    /// Counts so far. They are read after every picture, so reading must be as cheap as a copy.
    var statistics: EncoderStatistics { get }

    /// Encodes one picture: I420, limited range, of the size that was set last.
    ///
    /// `body` is called with each frame that is ready, before this returns: usually once; not at all if the picture
    /// was dropped or is held back; several times if an encoder with lookahead catches up. The bytes belong to the
    /// encoder and are not used after `body` returns.
    ///
    /// Receivers rely on the frame's properties. `number` counts frames from 0 without gaps, also across restarts.
    /// `references` holds the frames that it needs, none for a key frame. Capture time, rotation and timestamps are
    /// the picture's.
    ///
    /// - Parameters:
    ///   - frame: the picture. It may be kept, but it belongs to a pool of fixed size: an encoder with a long
    ///     lookahead should copy it. Capture times may be unevenly spaced.
    ///   - isKeyFrame: whether the picture must become a key frame. Such a picture is never dropped.
    ///   - body: receives each coded frame and its bytes, which are valid until it returns.
    /// - Returns: the outcome for the picture.
    /// - Throws: the codec's error, or an error of `body`. Neither the stream nor the encoder ends: the next picture
    ///   may follow.
    func encode(
        _ frame: VideoFrame, isKeyFrame: Bool, _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws -> EncoderOutcome

    /// Changes the configuration from the next picture on. Passing the same values costs nothing. A new size may need
    /// a key frame.
    ///
    /// - Parameters:
    ///   - settings: the new settings. Codec, effort and temporal pattern must not change.
    ///   - resolution: the size of the pictures to come.
    ///   - frameRate: their expected rate; capture times determine the real one.
    ///   - bitrate: the target bitrate, 1 kbit/s to 1 Gbit/s.
    /// - Throws: the codec's error; the encoder then keeps its previous configuration.
    func change(
        to settings: EncoderSettings, resolution: Resolution, frameRate: FrameRate, bitrate: Bitrate
    ) throws

    /// Limits the size of the next picture's frame, because packets wait to be sent. The encoder comes as close as it
    /// can by coding the picture more coarsely; it does not drop it for that. Called before
    /// ``encode(_:isKeyFrame:_:)``, and valid for that call only.
    ///
    /// - Parameter byteCount: the most bytes that the frame should have, above 0.
    func limitNextFrame(to byteCount: Int)

    /// Restarts the codec with a key frame, after a suspected fault. Frame numbers continue.
    func restart() throws

    /// Outputs the frames that are still held back. Called once, after the last picture.
    ///
    /// - Parameter body: receives each coded frame and its bytes, which are valid until it returns.
    func finish(_ body: (EncodedFrame, Span<UInt8>) throws -> Void) throws
}

extension VideoEncoder {
    /// Does nothing: for encoders whose frames cannot be limited one by one.
    public func limitNextFrame(to byteCount: Int) {}

    /// Does nothing: for encoders that hold no frames back.
    public func finish(_ body: (EncodedFrame, Span<UInt8>) throws -> Void) {}
}

/// The outcome of a picture that a ``VideoEncoder`` was given.
public enum EncoderOutcome: Sendable, Equatable {
    /// Coded with that quantizer index, on the codec's own scale (0 to 127 for VP8, 0 to 255 for VP9). `nil` if the
    /// encoder does not report it.
    case coded(quantizer: Int?)
    /// Dropped by the rate control.
    case dropped
    /// Held back for lookahead.
    case held
}

/// An encoder's counts since it was created, for any codec. Names are those of outbound-rtp in W3C webrtc-stats where
/// they exist.
public struct EncoderStatistics: Codable, Sendable, Equatable {
    /// Coded frames that show a picture.
    public var framesEncoded = 0
    /// Coded frames that show no picture; see ``EncodedFrame/isHidden``.
    public var hiddenFramesEncoded = 0
    /// Key frames among these.
    public var keyFramesEncoded = 0
    /// Pictures dropped by the rate control.
    public var framesDropped = 0
    /// The sum of the frames' quantizer indices, on the codec's own scale: 0 to 127 each for VP8, 0 to 255 for VP9. 0
    /// if the encoder does not report them.
    public var qpSum = 0
    /// Macroblocks left as the reference has them; see ``EncoderSettings/skipsStillBlocks``.
    public var stillBlocksSkipped = 0
    /// Bytes of coded frames.
    public var bytesEncoded = 0

    /// Creates zero counts.
    public init() {}
}

extension EncoderStatistics: CustomStringConvertible {
    /// The counts that are not zero, by name: `framesEncoded 120, keyFramesEncoded 1`.
    public var description: String { countedText(self) }
}

public import RillCodec
public import RillCore
public import RillRTP
public import RillReceive

/// How one stream is received and decoded.
///
/// Its packet-level settings are ``RillReceive/StreamReceiverSettings``, whose members can be read and set here too:
///
/// ```swift
/// var settings = ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(1))
/// settings.reportInterval = .milliseconds(500)
/// ```
@dynamicMemberLookup
public struct ReceiveSettings: Sendable {
    /// The stream, up to its encoded frames.
    public var stream: StreamReceiverSettings
    /// The stream's codec, for the jitter buffer and the decoder.
    public var codec: VideoCodec {
        get { stream.jitterBuffer.codec }
        set { stream.jitterBuffer.codec = newValue }
    }
    /// How many decoded pictures the sink may hold at once. Further ones are decoded, not shown, and counted as
    /// ``RillCore/DecoderStatistics/picturesWithoutBuffer``. A custom decoder has its own capacity.
    public var pictureCapacity = 8
    /// The largest picture that is decoded, in pixels. It limits the memory that a remote sender can make this side
    /// allocate.
    public var maximumPixelCount = 4096 * 2304
    /// Threads of the decoder, 1 to 16.
    public var decoderThreadCount = 1
    /// What to do with frames that follow one that could not be decoded.
    public var damagePolicy = DamagePolicy.waitForKeyFrame
    /// Which VP8 pictures are smoothed where they were coarsely quantized; ``RillCodec/PostProcessing/off`` shows
    /// every picture exactly as it was coded.
    public var postProcessing = PostProcessing.smallPictures
    /// Opens frames that were encrypted from end to end; `nil` if they are not. In a call it is that of
    /// ``VideoCallSettings/encryption``.
    public var encryption: FrameEncryption?
    /// Creates a custom decoder instead of libvpx; if it returns `nil`, libvpx decodes the stream.
    ///
    /// ```swift
    /// settings.makeDecoder = { stream in stream.codec == .av1 ? try AV1Decoder() : nil }
    /// ```
    public var makeDecoder: VideoDecoderFactory?

    /// Creates settings for a stream received through `jitterBuffer`, with RTCP sent as `ssrc`, and everything else
    /// at its default.
    public init(jitterBuffer: JitterBufferSettings, ssrc: SSRC) {
        self.stream = StreamReceiverSettings(jitterBuffer: jitterBuffer, ssrc: ssrc)
    }

    /// Creates settings from the sender's description of its stream, with everything else at its default.
    ///
    /// ```swift
    /// let settings = try ReceiveSettings(sender.stream(of: .high), ssrc: SSRC(1))
    /// ```
    ///
    /// - Parameters:
    ///   - description: the sender's description of the stream.
    ///   - ssrc: the SSRC that RTCP is sent as.
    /// - Throws: the contradiction found in the description.
    public init(_ description: StreamDescription, ssrc: SSRC) throws(StreamDescriptionError) {
        self.stream = try StreamReceiverSettings(description, ssrc: ssrc)
    }

    /// A setting of the stream.
    public subscript<Value>(dynamicMember path: WritableKeyPath<StreamReceiverSettings, Value>) -> Value {
        get { stream[keyPath: path] }
        set { stream[keyPath: path] = newValue }
    }
}

/// Creates a custom decoder for a stream, of any codec; returns `nil` if libvpx is to decode it.
///
/// It is called once for each stream, and again when the stream's sender goes over to another codec. The decoder must
/// obey ``ReceiveSettings/maximumPixelCount`` and similar limits itself.
public typealias VideoDecoderFactory = @Sendable (ReceiveSettings) throws -> (any VideoDecoder)?

// The built-in decoder: libvpx. Everything else in this folder knows decoders only by their protocol.

extension ReceiveSettings {
    /// Creates the decoder of this stream's codec: the app's own, or else libvpx's.
    func newDecoder() throws(CodecError) -> any VideoDecoder {
        if let own = try codec.attempt({ try makeDecoder?(self) }) { return own }
        return try makeBuiltInDecoder()
    }

    /// Creates libvpx's decoder for this stream.
    ///
    /// - Throws: ``/RillCodec/CodecError``; `unsupportedCodec` for one that libvpx does not have.
    func makeBuiltInDecoder() throws(CodecError) -> VPXDecoder {
        try VPXDecoder(
            codec, poolCapacity: pictureCapacity, threadCount: decoderThreadCount,
            maximumPixelCount: maximumPixelCount, damagePolicy: damagePolicy, postProcessing: postProcessing)
    }
}

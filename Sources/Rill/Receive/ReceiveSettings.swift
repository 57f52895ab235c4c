public import RillCodec
public import RillCore
public import RillRTP
public import RillReceive

/// How one stream is received and decoded.
///
/// What concerns its packets are ``RillReceive/StreamReceiverSettings``, whose members can be read and set here too:
///
///     var settings = ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(1))
///     settings.reportInterval = .milliseconds(500)
@dynamicMemberLookup
public struct ReceiveSettings: Sendable {
    /// The stream, up to its coded frames.
    public var stream: StreamReceiverSettings
    /// What the stream is decoded as: what the jitter buffer puts together.
    public var codec: VideoCodec {
        get { stream.jitterBuffer.codec }
        set { stream.jitterBuffer.codec = newValue }
    }
    /// How many decoded pictures the sink may hold at once; those beyond are decoded, not shown, and counted as
    /// ``RillCore/DecoderStatistics/picturesWithoutBuffer``. An own decoder has a capacity of its own.
    public var pictureCapacity = 8
    /// The largest picture that is decoded, in pixels: what a stranger may make this side take memory for.
    public var maximumPixelCount = 4096 * 2304
    /// Threads of the decoder, 1 to 16.
    public var decoderThreadCount = 1
    /// What is done with frames that follow one that could not be decoded.
    public var damagePolicy = DamagePolicy.waitForKeyFrame
    /// Which pictures of VP8 are smoothed where they were coded coarsely; ``RillCodec/PostProcessing/off`` shows every
    /// picture exactly as it was coded.
    public var postProcessing = PostProcessing.smallPictures
    /// Makes the decoder, where it is not to be libvpx; `nil` from it leaves the stream to libvpx.
    ///
    ///     settings.makeDecoder = { stream in stream.codec == .av1 ? try AV1Decoder() : nil }
    public var makeDecoder: VideoDecoderFactory?

    /// A stream received through `jitterBuffer`, with RTCP sent as `ssrc`; the rest is at its defaults.
    public init(jitterBuffer: JitterBufferSettings, ssrc: SSRC) {
        self.stream = StreamReceiverSettings(jitterBuffer: jitterBuffer, ssrc: ssrc)
    }

    /// What the sender says of its stream, received with RTCP sent as `ssrc`; the rest is at its defaults.
    ///
    ///     let settings = try ReceiveSettings(sender.stream(of: .high), ssrc: SSRC(1))
    ///
    /// - Throws: what is contradictory in the description.
    public init(_ description: StreamDescription, ssrc: SSRC) throws(StreamDescriptionError) {
        self.stream = try StreamReceiverSettings(description, ssrc: ssrc)
    }

    /// A setting of the stream.
    public subscript<Value>(dynamicMember path: WritableKeyPath<StreamReceiverSettings, Value>) -> Value {
        get { stream[keyPath: path] }
        set { stream[keyPath: path] = newValue }
    }
}

/// Makes a decoder that is not Rill's for a stream, of whichever codec; `nil` where libvpx is to decode it.
///
/// It is called once for each stream. ``ReceiveSettings/maximumPixelCount`` and the like are told to it for it to obey.
public typealias VideoDecoderFactory = @Sendable (ReceiveSettings) throws -> (any VideoDecoder)?

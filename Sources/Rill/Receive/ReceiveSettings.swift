public import RillCodec
public import RillCore
public import RillRTP
public import RillReceive

/// How one stream is received.
public struct ReceiveSettings: Sendable {
    /// The stream, and how long its packets are waited for.
    public var jitterBuffer: JitterBufferSettings
    /// What the session agreed on for its repair; nothing, by default. What is missed is asked for again all the same, as
    /// ``jitterBuffer`` says.
    public var repair = RepairSettings()
    /// What the stream is decoded as: what the jitter buffer puts together.
    public var codec: VideoCodec {
        get { jitterBuffer.codec }
        set { jitterBuffer.codec = newValue }
    }
    /// How many decoded pictures the sink may hold at once; those beyond are decoded, not shown, and counted as
    /// ``RillCodec/VPXDecoder/Statistics/picturesWithoutBuffer``.
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
    /// How often a request for packets is repeated while they do not come, 0 to 20, spread over five eighths of a round trip
    /// but at least 5 ms apart; twice as often where the round before was in vain. A request that is lost costs a round
    /// trip of waiting, a repetition some 80 bytes; senders answer each number once in a round trip.
    public var requestCopies = 8
    /// How often the sender gets a receiver report; at least 10 ms.
    public var reportInterval = MediaDuration.seconds(1)
    /// The source that this receiver's RTCP comes from; any number that no stream of the session has.
    public var ssrc: SSRC
    /// The name of this participant in RTCP (RFC 3550 §6.5.1).
    public var canonicalName = "rill"

    /// Is told what happens to the stream, and when, on the thread that polls it: for meters. It must neither block nor call
    /// back into the receiver.
    public var observer: (@Sendable (ReceiveEvent, MediaTime) -> Void)?

    /// A stream received through `jitterBuffer`, with RTCP sent as `ssrc`; the rest is at its defaults.
    public init(jitterBuffer: JitterBufferSettings, ssrc: SSRC) {
        self.jitterBuffer = jitterBuffer
        self.ssrc = ssrc
    }

    /// The sources that its packets come from, as far as they are known: its own, and that of its retransmissions.
    var sources: [SSRC] { [jitterBuffer.ssrc, repair.retransmission?.ssrc].compactMap(\.self) }
}

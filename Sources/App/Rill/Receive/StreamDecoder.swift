import RillCodec
import RillCore
import RillImage
import RillReceive

/// The second half of receiving one stream: encoded frames become pictures, and pictures go to the sink.
///
/// One owner, one thread at a time.
final class StreamDecoder {
    private var decoder: any VideoDecoder
    /// The stream's settings, with its present codec.
    private var settings: ReceiveSettings
    /// What the decoders of former codecs did.
    private var former = DecoderStatistics()
    /// Sinks only receive limited range, whatever range was sent.
    private var colors: ColorConverter
    private var picturesWithoutMemory = 0
    private let sink: any FrameSink
    private(set) var freezes = FreezeMeter()
    private(set) var totalDecodeTime = MediaDuration.zero
    private(set) var framesShown = 0

    /// The outcome of an encoded frame.
    enum Outcome {
        /// The frame's picture is to be shown.
        case picture(VideoFrame)
        /// The frame was decoded, and its picture is not shown.
        case decodedOnly
        /// The decoder rejected the frame: the reference chain is broken here.
        case refused(any Error)
        /// The frame was skipped: the decoder waits for a key frame.
        case skipped

        /// Size of the picture, if there is one to show.
        var resolution: Resolution? { if case .picture(let picture) = self { picture.resolution } else { nil } }

        /// The outcome as the stream's receiver takes it.
        var ofFrame: DecodeOutcome {
            switch self {
            case .picture, .decodedOnly: .decoded
            case .refused: .refused
            case .skipped: .skipped
            }
        }
    }

    init(_ settings: ReceiveSettings, sink: any FrameSink) throws(CodecError) {
        self.settings = settings
        self.decoder = try settings.newDecoder()
        self.colors = ColorConverter(capacity: settings.pictureCapacity)
        self.sink = sink
    }

    /// Decodes a frame that left the jitter buffer.
    ///
    /// The sender may go over to another codec that was agreed on: then its key frame is decoded by another decoder.
    func decode(_ received: ReceivedFrame, _ payload: Span<UInt8>) -> Outcome {
        do {
            if received.frame.codec != settings.codec { try change(to: received.frame.codec) }
            switch try decoder.decode(
                payload, captureTime: received.frame.captureTime, isWanted: received.isShown)
            {
            case .picture(let decoded):
                guard var picture = inLimitedRange(decoded) else { return .decodedOnly }
                picture.timestamps = received.frame.timestamps
                picture.rotation = received.frame.rotation
                return .picture(picture)
            case .hidden, .noBuffer: return .decodedOnly
            case .awaitingKeyFrame: return .skipped
            }
        } catch {
            return .refused(error)
        }
    }

    private func change(to codec: VideoCodec) throws(CodecError) {
        var next = settings
        next.codec = codec
        let made = try next.newDecoder()
        former.add(decoder.statistics)
        (decoder, settings) = (made, next)
    }

    /// Converts a picture to limited range; `nil` (counted) if there is no buffer for it, which breaks no reference
    /// chain.
    private func inLimitedRange(_ picture: VideoFrame) -> VideoFrame? {
        do throws(FrameError) { return try colors.convert(picture) } catch {
            picturesWithoutMemory += 1
            return nil
        }
    }

    /// Hands a picture to the sink.
    ///
    /// - Parameters:
    ///   - picture: the picture.
    ///   - decoded: when the decoder finished it.
    ///   - now: the time at which it is shown.
    func show(_ picture: VideoFrame, decoded: MediaTime, at now: MediaTime) throws {
        var picture = picture
        if let released = picture.timestamps[.released] { totalDecodeTime += decoded - released }
        picture.timestamps[.decoded] = decoded
        picture.timestamps[.shown] = now
        freezes.shown(at: now)
        framesShown += 1
        try sink.consume(picture)
    }

    /// The stream was muted or unmuted: the gap until the next picture is not a freeze.
    func interrupt() { freezes.interrupt() }

    func finish() throws {
        try sink.finish()
    }

    /// The decoder's statistics so far.
    var statistics: DecoderStatistics {
        var statistics = former
        statistics.add(decoder.statistics)
        statistics.picturesWithoutBuffer += colors.picturesWithoutBuffer + picturesWithoutMemory
        return statistics
    }
}

/// A sink whose pictures a task awaits.
final class AwaitedPictures: FrameSink {
    private let continuation: AsyncStream<VideoFrame>.Continuation

    init(_ continuation: AsyncStream<VideoFrame>.Continuation) {
        self.continuation = continuation
    }

    func consume(_ frame: VideoFrame) { continuation.yield(frame) }
    func finish() { continuation.finish() }
}

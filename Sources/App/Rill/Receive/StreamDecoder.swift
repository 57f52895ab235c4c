import RillCodec
import RillCore
import RillImage
import RillReceive

/// The second half of receiving one stream: encoded frames become pictures, and pictures go to the sink.
///
/// One owner, one thread at a time.
final class StreamDecoder {
    private let decoder: any VideoDecoder
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
        self.decoder =
            if let own = try settings.codec.attempt({ try settings.makeDecoder?(settings) }) {
                own
            } else {
                try settings.makeBuiltInDecoder()
            }
        self.colors = ColorConverter(capacity: settings.pictureCapacity)
        self.sink = sink
    }

    /// Decodes a frame that left the jitter buffer.
    func decode(_ received: ReceivedFrame, _ payload: Span<UInt8>) -> Outcome {
        do {
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
        var statistics = decoder.statistics
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

import RillCodec
import RillCore
import RillImage
import RillReceive

/// The second half of receiving one stream: coded frames become pictures, and pictures go to the sink.
///
/// One owner, one thread at a time.
final class StreamDecoder {
    private let decoder: any VideoDecoder
    /// Sinks get limited range alone, whatever the other side chose to send.
    private var colors: ColorConverter
    private var picturesWithoutMemory = 0
    private let sink: any FrameSink
    private(set) var freezes = FreezeMeter()
    private(set) var totalDecodeTime = MediaDuration.zero
    private(set) var framesShown = 0

    /// What became of a coded frame.
    enum Outcome {
        /// Its picture is to be shown.
        case picture(VideoFrame)
        /// It was decoded, and nothing is to be shown of it.
        case decodedOnly
        /// The decoder refused it: the chain is broken here.
        case refused(any Error)
        /// It was passed over: the decoder waits for a key frame.
        case skipped

        /// Size of the picture, if there is one to show.
        var resolution: Resolution? { if case .picture(let picture) = self { picture.resolution } else { nil } }

        /// The same as the stream's receiver takes it.
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
                picture.stamps = received.frame.stamps
                picture.rotation = received.frame.rotation
                return .picture(picture)
            case .hidden, .noBuffer: return .decodedOnly
            case .awaitingKeyFrame: return .skipped
            }
        } catch {
            return .refused(error)
        }
    }

    /// The picture as sinks get it; `nil` (counted) where there is no buffer for it, which breaks no chain of frames.
    private func inLimitedRange(_ picture: VideoFrame) -> VideoFrame? {
        do throws(FrameError) { return try colors.convert(picture) } catch {
            picturesWithoutMemory += 1
            return nil
        }
    }

    /// Hands a picture to the sink.
    ///
    /// - Parameters:
    ///   - decoded: when the decoder was done with it.
    ///   - now: the time that it is shown at.
    func show(_ picture: VideoFrame, decoded: MediaTime, at now: MediaTime) throws {
        var picture = picture
        if let released = picture.stamps[.released] { totalDecodeTime += decoded - released }
        picture.stamps[.decoded] = decoded
        picture.stamps[.shown] = now
        freezes.shown(at: now)
        framesShown += 1
        try sink.consume(picture)
    }

    /// The stream is muted, or was: until the next picture nobody misses one.
    func interrupt() { freezes.interrupt() }

    func finish() throws {
        try sink.finish()
    }

    /// What the decoder has done so far.
    var statistics: DecoderStatistics {
        var statistics = decoder.statistics
        statistics.picturesWithoutBuffer += colors.picturesWithoutBuffer + picturesWithoutMemory
        return statistics
    }
}

import RillCodec
package import RillCore
import RillImage
import RillReceive
import RillSecurity

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
    /// Whether frames are encrypted from end to end.
    var isEncrypted: Bool { settings.encryption != nil }
    /// The frame that was opened last.
    private let openedFrame = FrameBuffer()
    /// Frames that were opened and not, by reason.
    private(set) var openStatistics = SFrameOpenStatistics()
    /// Whether a frame was not opened since the last key frame: those after it may refer to it.
    private var awaitsOpenedKeyFrame = false
    /// Whether the newest frame was opened; `nil` before the first.
    private var wasOpened: Bool?
    private var openingChange: SFrameOpenOutcome?
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
        /// The frame could not be opened, and was not decoded.
        case unopened(SFrameOpenOutcome)

        /// Size of the picture, if there is one to show.
        var resolution: Resolution? { if case .picture(let picture) = self { picture.resolution } else { nil } }

        /// The outcome as the stream's receiver takes it.
        var ofFrame: DecodeOutcome {
            switch self {
            case .picture, .decodedOnly: .decoded
            case .refused: .refused
            case .skipped: .skipped
            case .unopened: .unopened
            }
        }
    }

    init(_ settings: ReceiveSettings, sink: any FrameSink) throws(CodecError) {
        self.settings = settings
        self.decoder = try settings.newDecoder()
        self.colors = ColorConverter(capacity: settings.pictureCapacity)
        self.sink = sink
    }

    /// Opens a frame that left the jitter buffer, if it is encrypted, and decodes it.
    func decode(_ received: ReceivedFrame, _ payload: Span<UInt8>) -> Outcome {
        guard let encryption = settings.encryption else { return decodeOpened(received, payload) }
        let outcome = encryption.open(payload, .picture, into: openedFrame)
        openStatistics.count(outcome)
        if !outcome.isSurplus, outcome.isOpened != wasOpened {
            wasOpened = outcome.isOpened
            openingChange = outcome
        }
        guard outcome.isOpened else {
            // A frame that came twice, or came back, is not missing; but what follows such a key frame refers to it.
            if !outcome.isSurplus || received.frame.isKey { awaitsOpenedKeyFrame = true }
            return .unopened(outcome)
        }
        guard received.frame.isKey || !awaitsOpenedKeyFrame else { return .skipped }
        awaitsOpenedKeyFrame = false
        return openedFrame.withBytes { decodeOpened(received, $0) }
    }

    /// Takes the outcome of the newest frame, if it was opened and the one before was not, or the other way round.
    func takeOpeningChange() -> SFrameOpenOutcome? { openingChange.take() }

    /// Decodes a frame in the clear.
    ///
    /// The sender may go over to another codec that was agreed on: then its key frame is decoded by another decoder.
    private func decodeOpened(_ received: ReceivedFrame, _ payload: Span<UInt8>) -> Outcome {
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

extension SFrameOpenOutcome {
    /// Whether the frame is one that is not expected.
    fileprivate var isSurplus: Bool {
        switch self {
        case .replayed, .reflected: true
        default: false
        }
    }
}

/// A sink whose pictures a task awaits.
package final class AwaitedPictures: FrameSink {
    private let continuation: AsyncStream<VideoFrame>.Continuation

    package init(_ continuation: AsyncStream<VideoFrame>.Continuation) {
        self.continuation = continuation
    }

    package func consume(_ frame: VideoFrame) { continuation.yield(frame) }
    package func finish() { continuation.finish() }
}

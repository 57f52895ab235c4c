import Rill
import RillCodec
import RillContainers
import RillCore
import RillFiles
import RillRTP
import RillThreads

/// Writes the encoded frames of a stream as they arrived, from the first key frame on, at the times of a
/// ``RecordingTimeline``. They are also decoded, for the statistics.
///
/// Threads: the decoding thread decodes and writes; any thread reads the results.
final class CodedRecording: Sendable {
    private let state: Monitor<State>
    private let clock = LiveClock()

    private struct State: ~Copyable {
        let path: String
        let name: String
        var codec = VideoCodec.default
        var writer: (any EncodedFrameSink)?
        var timeline = RecordingTimeline()
        /// The time of the last frame, and the time since the one before.
        var last: (time: MediaTime, gap: MediaDuration)?
        var size = Resolution.vga
        var framesWritten = 0
        /// The codec that the stream went over to while the file holds another one, until that was reported.
        var other: (codec: VideoCodec, isReported: Bool)?
        var failure: (any Error)?
    }

    init(path: String, name: String) {
        state = Monitor(State(path: path, name: name))
    }

    var framesWritten: Int { state.withLock { $0.framesWritten } }
    /// The reason why writing stopped; `nil` if it did not.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Returns a line about timestamps that jumped, or about another codec, once.
    func takeNotice() -> String? {
        state.withLock { state in
            if let line = state.timeline.takeNotice() { return line }
            guard let (codec, isReported) = state.other, !isReported else { return nil }
            state.other = (codec, true)
            return "the stream is \(codec) now: not recorded until it is \(state.codec) again, which the file holds"
        }
    }
    /// A line about all jumps, if there were several.
    var summary: String? { state.withLock { $0.timeline.summary } }

    /// Whether files of that name hold encoded frames.
    static func writes(_ path: String) -> Bool {
        ContainerFormat(path: path) != nil || VideoFileFormat(path: path) == .ivf
    }

    /// Sets a decoder that decodes with libvpx and writes each frame.
    func tap(_ settings: inout ReceiveSettings) {
        let codec = settings.codec
        state.withLock { $0.codec = codec }
        settings.makeDecoder = { [self] stream in
            expect(stream.codec)
            return RecordingDecoder(
                try VPXDecoder(
                    stream.codec, poolCapacity: stream.pictureCapacity, threadCount: stream.decoderThreadCount,
                    maximumPixelCount: stream.maximumPixelCount, damagePolicy: stream.damagePolicy,
                    postProcessing: stream.postProcessing), to: self)
        }
    }

    /// The stream has this codec from the next frame on. A file holds one codec, the first.
    private func expect(_ codec: VideoCodec) {
        state.withLock { state in
            if state.writer == nil { state.codec = codec }
            state.other = codec == state.codec ? nil : (codec, false)
        }
    }

    /// Closes the file. Called after the last frame was decoded.
    func finish() throws {
        try state.withLock { (state) throws in
            // After a failed write, this completes the file with the frames before it.
            try state.writer?.finish()
            state.writer = nil
        }
    }

    /// What is to be added to the times of a stream, so that it follows the one that was recorded before.
    fileprivate func shift(for time: MediaTime) -> MediaDuration {
        state.withLock { $0.last.map { $0.time + $0.gap - time } ?? .zero }
    }

    fileprivate func write(_ payload: Span<UInt8>, _ outcome: DecoderOutcome, at time: MediaTime) throws {
        if case .awaitingKeyFrame = outcome { return }
        let now = clock.now
        try state.withLock { (state) throws in
            if let failure = state.failure { throw failure }
            guard state.other == nil else { return }
            do { try CodedRecording.write(payload, at: time, arrivedAt: now, &state) } catch {
                state.failure = error
                throw error
            }
        }
    }

    private static func write(
        _ payload: Span<UInt8>, at time: MediaTime, arrivedAt now: MediaTime, _ state: inout State
    ) throws {
        let header = try CodedFrameHeader(parsing: payload, as: state.codec)
        if state.writer == nil {
            guard header.isKeyFrame, let size = header.resolution else { return }
            state.size = size
            state.writer = try makeWriter(state.path, state.name, state.codec, size)
        }
        let frame = EncodedFrame(
            codec: state.codec, layer: StreamLayer(rid: .high), number: Int64(state.framesWritten),
            references: FrameReferences(), isKey: header.isKeyFrame, resolution: header.resolution ?? state.size,
            captureTime: .zero + state.timeline.add(time, arrivedAt: now), byteCount: payload.count)
        try state.writer?.consume(frame, payload: payload)
        state.last = (time, max(.milliseconds(1), state.last.map { time - $0.time } ?? .milliseconds(33)))
        state.framesWritten += 1
    }

    private static func makeWriter(
        _ path: String, _ name: String, _ codec: VideoCodec, _ size: Resolution
    ) throws -> any EncodedFrameSink {
        guard let format = ContainerFormat(path: name) else {
            return try IVFWriter(path: path, name: name, codec: codec, resolution: size)
        }
        let video = ContainerWriter.Video(codec: codec, resolution: size, frameRate: nil)
        return try ContainerWriter(path: path, name: name, format: format, video: video)
    }
}

/// A decoder that passes the frames that it decodes to a recording.
private final class RecordingDecoder: VideoDecoder {
    private let decoder: VPXDecoder
    private let recording: CodedRecording
    private var shift: MediaDuration?

    init(_ decoder: VPXDecoder, to recording: CodedRecording) { (self.decoder, self.recording) = (decoder, recording) }

    var statistics: DecoderStatistics { decoder.statistics }

    func decode(_ payload: Span<UInt8>, captureTime: MediaTime, isWanted: Bool) throws -> DecoderOutcome {
        let outcome = try decoder.decode(payload, captureTime: captureTime, isWanted: isWanted)
        // A failed write is not a decoding error: it is reported when the recording is finished.
        let shift = shift ?? recording.shift(for: captureTime)
        self.shift = shift
        try? recording.write(payload, outcome, at: captureTime + shift)
        return outcome
    }
}

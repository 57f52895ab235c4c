public import RillBeauty
public import RillCodec
public import RillCore
import RillImage

/// An offline repetition of what a live run encoded: the same frames with the same settings and requests, so the same
/// bytes.
///
/// ```swift
/// let replay = try TraceReplay(SendTrace(path: "call.trace"), source: clip)
/// try replay.run { frame, bytes in … }
/// ```
///
/// The source delivers the same frames as in the run: for a clip, the clip itself; for a camera, a recording of
/// ``/Rill/SendTaps/captured``. Faces are processed again, according to the trace. A recording of
/// ``/Rill/SendTaps/preprocessed`` is already processed: pass `isPreprocessed`. The frames' timestamps come from the
/// trace. It has one owner; use it from one thread at a time.
public final class TraceReplay {
    private let trace: SendTrace
    private let source: any FrameSource
    /// The encoders of the layers that have frames, and their next frames.
    private var layers: [(encoder: LayerEncoder?, next: Int)] = []
    /// The pending changes of face processing, the next one first, and the filter.
    private var changes: ArraySlice<SendTrace.Beauty>
    private var beauty: BeautyStage?
    private var options = BeautyOptions.off
    private var level = BeautyLevel.full
    /// The faces that the app gave, the next ones first.
    private var given: ArraySlice<SendTrace.GivenFaces>
    private let faces: FaceDetection

    /// Prepares a replay; nothing is read yet.
    ///
    /// - Parameters:
    ///   - trace: the trace.
    ///   - source: the frames of the run.
    ///   - isPreprocessed: whether the source's frames already have the run's face processing; `false` by default.
    ///   - faces: the cascade of the run. It is compared with the trace, and not used if the run had none.
    ///   - makeEncoder: the run's custom encoders, if it had any (``Rill/SendSettings/makeEncoder``).
    /// - Throws: ``/RillCodec/CodecError`` for settings that this system's libvpx, or the custom encoder, does not
    ///   accept.
    public init(
        _ trace: SendTrace, source: any FrameSource, isPreprocessed: Bool = false,
        faces: FaceDetection = .automatic, makeEncoder: VideoEncoderFactory? = nil
    ) throws(CodecError) {
        self.trace = trace
        // As in the run.
        self.source = I420Source(source, capacity: 2)
        changes = isPreprocessed ? [] : trace.beauty[...]
        given = isPreprocessed ? [] : trace.givenFaces[...]
        self.faces = faces
        if let first = changes.first { beauty = BeautyStage(first.options, capacity: 1) }
        for layer in trace.layers {
            layers.append(
                (
                    try layer.initialSettings.map { (settings) throws(CodecError) in
                        try LayerEncoder(settings, make: makeEncoder)
                    }, 0
                ))
        }
    }

    /// Runs the replay. It calls `body` with each encoded frame and its bytes, which are valid until it returns: in
    /// the order of source frames, and for each in the order of layers. A replay runs once.
    ///
    /// - Parameters:
    ///   - progress: is called after each frame of the source, with their number.
    ///   - body: receives each encoded frame.
    /// - Throws: ``TraceError/otherCascade(wanted:found:)``, ``TraceError/sourceTooShort(frameCount:wantedFrame:)``, an
    ///   error of the source or of an encoder, or what `body` throws.
    public func run(
        progress: (Int) -> Void = { _ in }, _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws {
        if let wanted = trace.cascade, beauty != nil { beauty?.cascade = try cascade(wanted) }
        var index = 0
        while let wanted = nextFrame {
            switch try source.next() {
            case .frame(let frame): try encode(beautiful(frame, index), index, body)
            case .noBuffer: preconditionFailure("every frame was released before the next one is requested")
            case .pending: continue
            case .end: throw TraceError.sourceTooShort(frameCount: index, wantedFrame: wanted)
            }
            index += 1
            progress(index)
        }
    }

    /// The run's cascade.
    private func cascade(_ wanted: UInt64) throws(TraceError) -> FaceCascade {
        let outcome = faces.outcome
        guard let cascade = outcome.cascade, cascade.checksum == wanted else {
            throw .otherCascade(
                wanted: SendTrace.text(ofChecksum: wanted),
                found: outcome.cascade.map { SendTrace.text(ofChecksum: $0.checksum) }
                    ?? outcome.failure.map { "\($0)" } ?? "none")
        }
        return cascade
    }

    /// The next frame that a layer must encode.
    private var nextFrame: Int? {
        zip(trace.layers, layers).compactMap { layer, state in
            state.next < layer.frameCount ? layer[state.next].task.frame : nil
        }.min()
    }

    /// The frame as the run processed it.
    private func beautiful(_ frame: VideoFrame, _ index: Int) throws -> VideoFrame {
        while let change = changes.first, change.frame <= index {
            changes.removeFirst()
            (options, level) = (change.options, change.level)
        }
        while let next = given.first, next.frame <= index {
            given.removeFirst()
            beauty?.giveFaces(next.faces)
        }
        guard beauty != nil else { return frame }
        guard let result = try beauty?.apply(options, to: frame, level: level) else {
            preconditionFailure("every frame was released before the next one is requested")
        }
        return result
    }

    private func encode(
        _ frame: VideoFrame, _ index: Int, _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws {
        for place in layers.indices where layers[place].next < trace.layers[place].frameCount {
            let (captureTime, task) = trace.layers[place][layers[place].next]
            guard task.frame == index else { continue }
            layers[place].next += 1
            var frame = frame
            frame.captureTime = captureTime
            try layers[place].encoder?.encode(frame, task, body)
        }
    }
}

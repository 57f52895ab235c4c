import RillBeauty
public import RillCodec
public import RillCore
import RillImage

/// Encodes offline what a live run encoded: the same frames with the same settings and requests, so the same bytes.
///
///     let replay = try TraceReplay(SendTrace(path: "call.trace"), source: clip)
///     try replay.run { frame, bytes in … }
///
/// The source gives the frames that the run was given: of a clip, the clip itself; of a camera, a recording of
/// ``SendTaps/captured``. What was done to faces is done again, by the trace; a recording of ``SendTaps/preprocessed`` has it
/// already, and is said to be preprocessed. The frames' stamps come from the trace. One owner, one thread at a time.
public final class TraceReplay {
    private let trace: SendTrace
    private let source: any FrameSource
    /// The encoders of the layers that have frames, and which frame is next.
    private var layers: [(encoder: LayerEncoder?, next: Int)] = []
    /// What is still to be done to faces, the next change first, and what does it.
    private var changes: ArraySlice<SendTrace.Beauty>
    private var beauty: BeautyStage?
    private var options = BeautyOptions.off
    private var level = BeautyLevel.full

    /// Prepares the work; nothing is read yet.
    ///
    /// - Parameters:
    ///   - isPreprocessed: whether faces in the source's frames are as they went into the encoders.
    ///   - makeEncoder: the run's own, where it had one (``Rill/SendSettings/makeEncoder``).
    /// - Throws: ``CodecError`` for settings that this machine's libvpx, or the own encoder, does not take.
    public init(
        _ trace: SendTrace, source: any FrameSource, isPreprocessed: Bool = false,
        makeEncoder: VideoEncoderFactory? = nil
    ) throws(CodecError) {
        self.trace = trace
        // As the run did.
        self.source = I420Source(source, capacity: 2)
        changes = isPreprocessed ? [] : trace.beauty[...]
        if let first = changes.first { beauty = BeautyStage(first.options, capacity: 1) }
        for layer in trace.layers {
            layers.append(
                (
                    try layer.firstSettings.map { (settings) throws(CodecError) in
                        try LayerEncoder(settings, make: makeEncoder)
                    }, 0
                ))
        }
    }

    /// Does the work, and calls `body` with each coded frame and its bytes, which hold until it returns: frame by frame
    /// of the source, and for each in the order of the layers. A replay runs once.
    ///
    /// - Parameter progress: is called after each frame of the source, with their number.
    /// - Throws: ``TraceError/sourceTooShort(frameCount:wantedFrame:)``, an error of the source or of an encoder, or what
    ///   `body` throws.
    public func run(
        progress: (Int) -> Void = { _ in }, _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws {
        var index = 0
        while let wanted = nextFrame {
            switch try source.next() {
            case .frame(let frame): try encode(beautiful(frame, index), index, body)
            case .noBuffer: preconditionFailure("every frame was let go before the next one is asked for")
            case .pending: continue
            case .end: throw TraceError.sourceTooShort(frameCount: index, wantedFrame: wanted)
            }
            index += 1
            progress(index)
        }
    }

    /// The first frame that a layer is still to encode.
    private var nextFrame: Int? {
        zip(trace.layers, layers).compactMap { layer, state in
            state.next < layer.frameCount ? layer[state.next].task.frame : nil
        }.min()
    }

    /// The frame as the run made it.
    private func beautiful(_ frame: VideoFrame, _ index: Int) throws -> VideoFrame {
        while let change = changes.first, change.frame <= index {
            changes.removeFirst()
            (options, level) = (change.options, change.level)
        }
        guard beauty != nil else { return frame }
        guard let result = try beauty?.apply(options, to: frame, level: level) else {
            preconditionFailure("every frame was let go before the next one is asked for")
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

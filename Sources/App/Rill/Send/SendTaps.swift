public import RillBeauty
public import RillCodec
public import RillCore

/// Sinks that see the frames of a sending pipeline.
///
/// Each sink is called on the thread of its stage, which waits for it, and by one thread at a time. It may call any
/// method of the pipeline, except those that would call it again. The sink for encoded frames is called concurrently
/// with the other two, so it must be a separate object.
public struct SendTaps {
    /// Receives every frame as it was captured, in its original range.
    public var captured: (any FrameSink)?
    /// Receives every frame as the encoders receive it: the local preview. Through a ``MirroredSink`` people see
    /// themselves mirrored, and what is sent stays unchanged:
    ///
    /// ```swift
    /// SendTaps(preprocessed: MirroredSink(screen))
    /// ```
    public var preprocessed: (any FrameSink)?
    /// Receives every encoded frame of every layer, before it is packetized. In the live driver layers encode on
    /// their own threads. This sink is called from one of them at a time, and another one with an encoded frame
    /// waits.
    public var encoded: (any EncodedFrameSink)?
    /// Records what goes into each encoder, so that a run can be repeated; see ``/RillLab/TraceReplay``.
    public var trace: (any SendTraceSink)?

    /// Creates taps; all are `nil` by default.
    public init(
        captured: (any FrameSink)? = nil, preprocessed: (any FrameSink)? = nil,
        encoded: (any EncodedFrameSink)? = nil, trace: (any SendTraceSink)? = nil
    ) {
        self.captured = captured
        self.preprocessed = preprocessed
        self.encoded = encoded
        self.trace = trace
    }
}

/// A recorder of what goes into each encoder of a sending pipeline, so that a run can be repeated.
///
/// Overload and adaptation depend on real time, but an encoder's output depends only on its input.
/// ``/RillLab/TraceReplay`` replays a trace with the same pictures, and gives the same bytes.
///
/// It is called from the threads of all layers, by one at a time, with no lock held. The events of one layer arrive
/// in order.
public protocol SendTraceSink: AnyObject {
    /// Starts the trace with its layers, in the pipeline's order. Called once, before anything else.
    func begin(_ layers: [StreamLayer.RID]) throws

    /// Records an event of a layer.
    func record(_ event: SendTraceEvent, of layer: StreamLayer.RID) throws

    /// Records what finds faces in the whole run; `nil` for nothing. Called once, before the first face processing.
    func record(cascade: FaceCascade?) throws

    /// Records all faces that the app gave for a frame; an empty list says that there is none.
    func record(givenFaces faces: [FaceRegion], fromFrame frame: Int) throws

    /// Records the face processing from a frame on. The first call, with `frame` 0, has the pipeline's initial
    /// options. Not called if faces were never filtered.
    ///
    /// - Parameters:
    ///   - options: the face processing.
    ///   - level: the level of the filter.
    ///   - frame: the first frame with these options.
    func record(beauty options: BeautyOptions, at level: BeautyLevel, fromFrame frame: Int) throws

    /// Ends the trace: write what is pending. Called once.
    func finish() throws
}

/// One event of a layer's encoder.
public enum SendTraceEvent: Sendable, Equatable {
    /// The encoder was given the frame of that capture time, with this task.
    case frame(captureTime: MediaTime, task: LayerTask)
    /// The source frame of that number was dropped for a newer one, because the encoder was still busy.
    case dropped(frame: Int)
    /// Adaptation reduced the layer's size or rate, or restored it.
    case adapted(AdaptationController.Step)
}

public import RillBeauty
public import RillCodec
public import RillCore

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

public import RillBeauty
public import RillCodec
public import RillCore

/// Where a sending pipeline tells what went into each of its encoders, so that the same can be done again.
///
/// What a machine was too slow for, and what it adapted to, depends on real time; what an encoder makes depends on what
/// goes into it alone. A trace of that, replayed with the same pictures by ``TraceReplay``, gives the same bytes.
///
/// Called from the threads of all layers, by one at a time, with no lock held; what is told of one layer is told in its
/// order.
public protocol SendTraceSink: AnyObject {
    /// The layers that will be told of, in the pipeline's order. Called once, before anything else.
    func begin(_ layers: [StreamLayer.RID]) throws

    /// Something happened to a layer.
    func record(_ event: SendTraceEvent, of layer: StreamLayer.RID) throws

    /// From that frame on, faces were made beautiful with these options, at this level; the first time, with `frame` 0, it is
    /// what the pipeline began with. Not called where they never were.
    func record(beauty options: BeautyOptions, at level: BeautyLevel, fromFrame frame: Int) throws

    /// Nothing more will happen: write what is still to be written. Called once.
    func finish() throws
}

/// One thing that went into a layer's encoder, or that kept something from going in.
public enum SendTraceEvent: Sendable, Equatable {
    /// The encoder was given the frame of that capture time, with this task.
    case frame(captureTime: MediaTime, task: LayerTask)
    /// That frame of the source gave way to a newer one, for the encoder was still busy.
    case dropped(frame: Int)
    /// The layer gave up something of its size or rate, or took it back.
    case adapted(AdaptationController.Step)
}

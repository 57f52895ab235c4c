public import RillCore

/// Where an app can look into a sending pipeline. Each sink is called on the thread that does the stage's work, which waits
/// for it, and by one thread at a time. It may call any method of the pipeline but those that would call it again. The sink
/// for coded frames is called beside the other two, so it is an object of its own.
public struct SendTaps {
    /// Gets every frame as it was captured, in the range that it came in.
    public var captured: (any FrameSink)?
    /// Gets every frame as it goes into the encoders: the local preview. Behind a ``MirroredSink`` it shows people as they
    /// know themselves, and what is sent stays as it is:
    ///
    ///     SendTaps(preprocessed: MirroredSink(screen))
    public var preprocessed: (any FrameSink)?
    /// Gets every coded frame of every layer, before it is cut into packets. Layers encode on threads of their own in
    /// the live driver; this is called from one of them at a time, while another one that has a coded frame waits.
    public var encoded: (any EncodedFrameSink)?
    /// Is told what goes into each encoder, so that a run can be done again; see ``TraceReplay``.
    public var trace: (any SendTraceSink)?

    /// No taps.
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

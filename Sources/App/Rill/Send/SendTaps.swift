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

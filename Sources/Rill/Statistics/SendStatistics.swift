public import RillCodec
public import RillCore
public import RillRTP
public import RillSend

/// What one layer of a ``SendPipeline`` has sent.
public struct SendStatistics: Sendable {
    /// The layer's name.
    public var rid: StreamLayer.RID
    /// The layer's source identifier.
    public var ssrc: SSRC
    /// What its encoder has done.
    public var encoder: VPXEncoder.Statistics
    /// What went on the wire, and what came back.
    public var stream: RTPStreamStatistics
    /// Time spent from preprocessing to the coded frame, summed over the frames (waiting for the encoder included).
    public var totalEncodeTime: MediaDuration
}

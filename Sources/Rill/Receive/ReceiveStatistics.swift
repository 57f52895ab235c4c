public import RillCore
public import RillReceive

/// What one stream has been through on the receiving side.
public struct ReceiveStatistics: Sendable {
    /// Packets, frames and the jitter buffer.
    public var stream: InboundStatistics
    /// What came of retransmissions and parities.
    public var repair: RepairStatistics
    /// The time to the sender and back.
    public var roundTrip: RoundTripStatistics
    /// What the decoder has done.
    public var decoder: DecoderStatistics
    /// Pictures handed to the sink.
    public var framesShown: Int
    /// What the viewer saw of pauses and freezes.
    public var freezes: FreezeMeter
    /// Time from a frame's release to its picture, summed over the pictures shown.
    public var totalDecodeTime: MediaDuration

    init(_ receiver: StreamReceiver, _ decoder: StreamDecoder) {
        self.stream = receiver.statistics
        self.repair = receiver.repairStatistics
        self.roundTrip = receiver.roundTripStatistics
        self.decoder = decoder.statistics
        self.framesShown = decoder.framesShown
        self.freezes = decoder.freezes
        self.totalDecodeTime = decoder.totalDecodeTime
    }
}

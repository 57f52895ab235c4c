public import RillCore
public import RillReceive
import RillSession

/// What one stream has been through on the receiving side.
public struct ReceiveStatistics: Codable, Equatable, Sendable {
    /// Packets, frames and the jitter buffer.
    public var stream: InboundStatistics
    /// What came of retransmissions and FEC packets.
    public var repair: RepairStatistics
    /// The time to the sender and back.
    public var roundTrip: RoundTripStatistics
    /// What the decoder has done.
    public var decoder: DecoderStatistics
    /// Pictures handed to the sink.
    public var framesShown: Int
    /// What the viewer saw of pauses and freezes.
    public var freezes: FreezeMeter.Statistics
    /// Time from a frame's release to its picture, summed over the pictures shown.
    public var totalDecodeTime: MediaDuration

    /// Of a stream of a session, and its decoder.
    init(_ session: RTPSession, _ id: ReceivingStreamID, _ decoder: StreamDecoder) {
        self.init(decoder)
        note(session, id)
    }

    /// What the decoder knows.
    init(_ decoder: StreamDecoder) {
        stream = InboundStatistics()
        repair = RepairStatistics()
        roundTrip = RoundTripStatistics()
        self.decoder = decoder.statistics
        self.framesShown = decoder.framesShown
        self.freezes = decoder.freezes.statistics
        self.totalDecodeTime = decoder.totalDecodeTime
    }

    /// Brings up to date what counts even when no frame comes of it.
    mutating func note(_ session: RTPSession, _ id: ReceivingStreamID) {
        if let stream = session.statistics(of: id) { self.stream = stream }
        if let repair = session.repairStatistics(of: id) { self.repair = repair }
        roundTrip = session.roundTripStatistics
    }
}

extension ReceiveStatistics: CustomStringConvertible {
    /// A line with what was shown, and a line for each part of the way, without what is zero.
    public var description: String {
        countedText(
            "\(framesShown) frames shown, decoded in \(totalDecodeTime)",
            [
                ("stream", stream.description), ("repair", repair.description), ("round trip", roundTrip.description),
                ("decoder", decoder.description), ("freezes", freezes.description),
            ])
    }
}

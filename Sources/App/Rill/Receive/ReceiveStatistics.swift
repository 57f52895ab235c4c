public import RillCore
public import RillReceive
public import RillSecurity
import RillSession

/// The statistics of one received stream.
public struct ReceiveStatistics: Codable, Equatable, Sendable {
    /// Packets, frames and the jitter buffer.
    public var stream: InboundStatistics
    /// Retransmissions and FEC packets.
    public var repair: RepairStatistics
    /// The round-trip time to the sender.
    public var roundTrip: RoundTripStatistics
    /// The decoder.
    public var decoder: DecoderStatistics
    /// Pictures handed to the sink.
    public var framesShown: Int
    /// Pauses and freezes that the viewer saw.
    public var freezes: FreezeMeter.Statistics
    /// Time from a frame's release to its picture, summed over the pictures shown.
    public var totalDecodeTime: MediaDuration
    /// The stream's frames by whether they could be opened; `nil` without end-to-end encryption.
    public var opened: SFrameOpenStatistics?

    /// Reads the statistics of a session's stream and its decoder.
    init(_ session: RTPSession, _ id: ReceivingStreamID, _ decoder: StreamDecoder) {
        self.init(decoder)
        note(session, id)
    }

    /// Reads the decoder's part.
    init(_ decoder: StreamDecoder) {
        stream = InboundStatistics()
        repair = RepairStatistics()
        roundTrip = RoundTripStatistics()
        self.decoder = decoder.statistics
        self.framesShown = decoder.framesShown
        self.freezes = decoder.freezes.statistics
        self.totalDecodeTime = decoder.totalDecodeTime
        if decoder.isEncrypted { opened = decoder.openStatistics }
    }

    /// Updates the counters that change even if no frame results.
    mutating func note(_ session: RTPSession, _ id: ReceivingStreamID) {
        if let stream = session.statistics(of: id) { self.stream = stream }
        if let repair = session.repairStatistics(of: id) { self.repair = repair }
        roundTrip = session.roundTripStatistics
    }
}

extension ReceiveStatistics: CustomStringConvertible {
    /// A line with what was shown, and a line for each stage, without zeros.
    public var description: String {
        countedText(
            "\(framesShown) frames shown, decoded in \(totalDecodeTime)",
            [
                ("stream", stream.description), ("repair", repair.description), ("round trip", roundTrip.description),
                ("decoder", decoder.description), ("freezes", freezes.description),
            ])
    }
}

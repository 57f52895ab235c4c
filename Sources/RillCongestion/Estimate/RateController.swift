public import RillCore

/// Decides how much a transport may send, from the fates of its packets.
///
/// ``BandwidthEstimate`` is the one that Rill uses. Another may take its place in a simulation, to compare the two on the same links.
///
/// A value with one owner: it reads no clock, and the same calls lead to the same rates.
public protocol RateController: Sendable {
    /// The rate to send at, all packets and headers included.
    var rate: Bitrate { get }
    /// Cuts because of overload so far.
    var cutCount: Int { get }

    /// How fast packets leave while some wait.
    func pacingRate(at now: MediaTime) -> Bitrate

    /// Whether so many bytes in flight are more than the path needs: then frames are left out before they are encoded.
    func isWindowFull(_ bytesInFlight: Int, at now: MediaTime) -> Bool

    /// Notes the fate of a packet, in the order of sending.
    ///
    /// - Parameters:
    ///   - packet: the packet.
    ///   - fate: what feedback says of it.
    ///   - now: when the feedback arrived.
    mutating func note(_ packet: PacketRecord, _ fate: PacketFate, at now: MediaTime)

    /// Works out the rate anew, after the packets of a feedback.
    mutating func update(at now: MediaTime)
}

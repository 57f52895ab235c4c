import RillCongestion

/// A sender without congestion control.
struct FixedRate: RateController {
    let rate: Bitrate
    var cutCount: Int { 0 }

    func pacingRate(at now: MediaTime) -> Bitrate { Bitrate(bitsPerSecond: rate.bitsPerSecond * 3 / 2) }
    func isWindowFull(_ bytesInFlight: Int, at now: MediaTime) -> Bool { false }
    mutating func record(_ packet: PacketRecord, _ outcome: PacketOutcome, at now: MediaTime) {}
    mutating func update(at now: MediaTime) {}
}

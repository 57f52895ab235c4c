import RillCore
import RillRTP

/// The packets of new SSRCs that claim a stream whose present SSRC was active a moment ago.
///
/// A sender that restarts begins with a key frame under its new SSRC. Its packets are held until the old SSRC has been
/// silent long enough, and then inserted with their times of arrival. For each stream one SSRC is held, the last that
/// claimed it; what it has sent for ``limit`` bytes is let go.
struct ClaimedPackets {
    /// A packet, and when it arrived.
    struct Packet {
        var bytes: [UInt8]
        var arrival: MediaTime
    }

    private struct Claim {
        var place: StreamPlace
        var ssrc: SSRC
        var packets: [Packet]
    }

    private var claims: [Claim] = []
    /// The bytes of all packets that are held.
    private(set) var byteCount = 0

    /// The most bytes that are held: half a second of 16 Mbit/s.
    static let limit = 1 << 20
    /// Packets that are older no longer show what their sender does now.
    static let longestAge = MediaDuration.milliseconds(500)

    /// Whether packets of the SSRC are held for the stream that are recent.
    func contains(_ ssrc: SSRC, for place: StreamPlace, at now: MediaTime) -> Bool {
        claims.contains { claim in
            claim.place == place && claim.ssrc == ssrc
                && claim.packets.last.map { now - $0.arrival <= Self.longestAge } == true
        }
    }

    /// Holds a packet.
    mutating func hold(_ packet: Span<UInt8>, of ssrc: SSRC, for place: StreamPlace, at now: MediaTime) {
        drop(until: now - Self.longestAge)
        if let other = claims.firstIndex(where: { $0.place == place && $0.ssrc != ssrc }) { remove(at: other) }
        while byteCount + packet.count > Self.limit, !claims.isEmpty { remove(at: 0) }
        guard packet.count <= Self.limit else { return }
        let held = Packet(bytes: packet.array, arrival: now)
        byteCount += packet.count
        if let index = claims.firstIndex(where: { $0.place == place }) {
            claims[index].packets.append(held)
        } else {
            claims.append(Claim(place: place, ssrc: ssrc, packets: [held]))
        }
    }

    /// Takes the packets of an SSRC that has become the stream's, in the order of arrival, and forgets all others'.
    mutating func take(_ ssrc: SSRC, for place: StreamPlace, at now: MediaTime) -> [Packet] {
        guard !claims.isEmpty else { return [] }
        drop(until: now - Self.longestAge)
        guard let index = claims.firstIndex(where: { $0.place == place }) else { return [] }
        let claim = claims[index]
        remove(at: index)
        return claim.ssrc == ssrc ? claim.packets.filter { now - $0.arrival <= Self.longestAge } : []
    }

    /// Lets go of the claims that have not been repeated since `time`.
    private mutating func drop(until time: MediaTime) {
        for index in claims.indices.reversed() where claims[index].packets.last.map({ $0.arrival < time }) ?? true {
            remove(at: index)
        }
    }

    private mutating func remove(at index: Int) {
        byteCount -= claims[index].packets.reduce(0) { $0 + $1.bytes.count }
        claims.remove(at: index)
    }
}

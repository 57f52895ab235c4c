import RillCore
import RillTransport

/// Finds pairs that lead back to themselves: a relay that sends to its own port never ends.
///
/// A pair may send to another pair's port: two links in a row.
enum RelayLoops {
    /// - Throws: `loop`.
    static func check(_ pairs: [RelaySettings.Pair]) throws(RelayError) {
        let next = pairs.map { pair in pairs.firstIndex { $0.listen.isReached(by: pair.to) } }
        for start in pairs.indices {
            var place = next[start]
            for _ in pairs.indices {
                guard let here = place else { break }
                guard here != start else { throw .loop(pair: start) }
                place = next[here]
            }
        }
    }
}

extension UDPAddress {
    /// Whether a datagram to `other` arrives at a socket that is bound here.
    fileprivate func isReached(by other: UDPAddress) -> Bool {
        guard port == other.port else { return false }
        switch (ip, other.ip) {
        case (.v4(0), .v4), (.v6(0, _), _): return other.isOfThisMachine
        default: return ip == other.ip
        }
    }

    /// Only an address of this host can be bound to.
    private var isOfThisMachine: Bool {
        (try? UDPSocket(boundTo: UDPAddress(ip, port: 0))) != nil  // any failure means that it is not ours
    }
}

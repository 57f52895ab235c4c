package import RillCore
package import RillPeer
import RillRTP

/// Somebody on a network who sees what is sent, has no key, and sends datagrams from any address.
///
/// Addresses that no end has are the attacker's: what goes there is counted, and nobody answers from there.
package final class Attacker: NetworkEnd {
    /// A datagram that was seen.
    package struct Seen {
        package let bytes: [UInt8]
        package let source: UDPAddress
        package let destination: UDPAddress
        package let time: MediaTime
        /// Whether it is a check that nominates.
        package let nominates: Bool
    }

    /// A datagram to send.
    package struct Forged {
        package var bytes: [UInt8]
        package var source: UDPAddress
        package var destination: UDPAddress

        package init(_ bytes: [UInt8], from source: UDPAddress, to destination: UDPAddress) {
            (self.bytes, self.source, self.destination) = (bytes, source, destination)
        }
    }

    /// Bytes of an address that has not answered.
    package struct Traffic {
        /// From it, forged.
        package fileprivate(set) var from = 0
        /// Towards it.
        package fileprivate(set) var towards = 0
        /// Of these, without STUN.
        package fileprivate(set) var dataTowards = 0
        /// The most bytes towards it for each byte from it, at any time.
        package fileprivate(set) var worst = 0.0
        /// Datagrams from and towards it lately.
        package fileprivate(set) var recentCount = 0

        fileprivate mutating func begin() { (dataTowards, worst, recentCount) = (0, 0, 0) }
    }

    /// Checks of each address, the oldest 16 and the newest 256.
    package private(set) var checks: [UDPAddress: [Seen]] = [:]
    /// Responses to checks of each address.
    package private(set) var responses: [UDPAddress: [Seen]] = [:]
    /// DTLS of each address: the first 8.
    package private(set) var handshakes: [UDPAddress: [Seen]] = [:]
    /// The newest 64 packets of each address.
    package private(set) var packets: [UDPAddress: [Seen]] = [:]
    package private(set) var traffic: [UDPAddress: Traffic] = [:]
    /// Bytes that were sent towards each address, by whoever.
    package private(set) var bytesTowards: [UDPAddress: Int] = [:]
    /// How many datagrams were forged.
    package private(set) var forgedCount = 0
    /// Whether a datagram is lost on its way.
    package var drops: (Seen) -> Bool = { _ in false }
    /// Called with each datagram: what it returns arrives before it.
    package var races: (Seen) -> [Forged] = { _ in [] }

    /// It holds the attacker.
    private unowned let network: VirtualNetwork
    private var plans: [Plan] = []

    private struct Plan {
        var next: MediaTime
        let interval: MediaDuration
        let end: MediaTime
        var count = 0
        let make: (Int) -> [Forged]
    }

    /// An attacker on a network to which all ends but this one were added.
    package init(on network: VirtualNetwork) {
        self.network = network
        network.add(self, at: [])
        network.isLost = { [unowned self] source, destination, bytes in !see(bytes, from: source, to: destination) }
    }

    /// The attacker's address with that number: of 198.18.0.0/15.
    package static func address(_ number: Int) -> UDPAddress {
        UDPAddress(.v4(0xC612_0000 + UInt32(number / 60_000)), port: UInt16(1024 + number % 60_000))
    }

    /// From now on sends what `make` returns for 0, 1, 2 and so on.
    package func send(
        every interval: MediaDuration, until end: MediaTime, _ make: @escaping (Int) -> [Forged]
    ) {
        plans.append(Plan(next: network.now, interval: interval, end: end, make: make))
    }

    /// Sends a datagram now.
    package func send(_ forged: Forged) {
        forgedCount += 1
        if !network.hasEnd(at: forged.source) {
            traffic[forged.source, default: Traffic()].from += forged.bytes.count
            traffic[forged.source]?.recentCount += 1
        }
        network.inject(forged.bytes, from: forged.source, to: forged.destination)
    }

    /// Forgets what is planned, and begins to count; the bytes of each address are still those of all its time.
    package func rest() {
        (plans, forgedCount) = ([], 0)
        for address in traffic.keys { traffic[address]?.begin() }
        races = { _ in [] }
        drops = { _ in false }
    }

    package func take(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) {}

    package func advance(to now: MediaTime, transmit: (ICEPath, [UInt8]) -> Void) -> MediaTime {
        for index in plans.indices {
            while plans[index].next <= now, plans[index].next < plans[index].end {
                let count = plans[index].count
                plans[index].count += 1
                plans[index].next = plans[index].next + plans[index].interval
                for forged in plans[index].make(count) { send(forged) }
            }
        }
        return plans.lazy.filter { $0.next < $0.end }.map(\.next).min() ?? .distantFuture
    }

    private func see(_ bytes: [UInt8], from source: UDPAddress, to destination: UDPAddress) -> Bool {
        let kind = Attacker.kind(of: bytes)
        bytesTowards[destination, default: 0] += bytes.count
        let seen = Seen(
            bytes: bytes, source: source, destination: destination, time: network.now,
            nominates: kind == .check(nominates: true))
        guard network.hasEnd(at: destination) else {
            var counts = traffic[destination] ?? Traffic()
            counts.towards += bytes.count
            counts.recentCount += 1
            if kind == .handshake || kind == .packet { counts.dataTowards += bytes.count }
            counts.worst = max(counts.worst, Double(counts.towards) / Double(max(counts.from, 1)))
            traffic[destination] = counts
            return false
        }
        switch kind {
        case .check: Attacker.keep(seen, in: &checks[source, default: []], first: 16, last: 256)
        case .response: Attacker.keep(seen, in: &responses[source, default: []], first: 0, last: 16)
        case .handshake: Attacker.keep(seen, in: &handshakes[source, default: []], first: 8, last: 0)
        case .packet: Attacker.keep(seen, in: &packets[source, default: []], first: 0, last: 64)
        }
        for forged in races(seen) { send(forged) }
        return !drops(seen)
    }

    private enum Kind: Equatable {
        case check(nominates: Bool)
        case response
        case handshake
        case packet
    }

    private static func kind(of bytes: [UInt8]) -> Kind {
        do throws(STUNError) {
            let message = try STUNMessage(parsing: bytes.span)
            return message.type.messageClass == .request ? .check(nominates: message.usesCandidate) : .response
        } catch {
            return (20...63).contains(bytes.first ?? 0) ? .handshake : .packet
        }
    }

    private static func keep(_ seen: Seen, in list: inout [Seen], first: Int, last: Int) {
        if list.count >= first + last {
            guard last > 0 else { return }
            list.remove(at: first)
        }
        list.append(seen)
    }
}

package import RillCore
package import RillLink

/// What a relay is to do: which ports stand for which addresses, and the network between them.
///
///     let network = try LinkSettings(notation: "loss=2%,delay=40ms,seed=7")
///     var settings = RelaySettings(network: network)
///     settings.addPair(listen: UDPAddress(.loopback, port: 5004), to: UDPAddress(.loopback, port: 5006))
///
/// All chance follows from the seeds of the networks that are given. Each pair and each direction has a seed of its own,
/// derived from them (``seed(_:ofPair:_:)``): else two directions would lose the same datagrams. The first pair's forward
/// link has the seed as it was given.
package struct RelaySettings: Sendable {
    /// A port that stands for an address: what comes to the port from anybody else goes on to the address, what comes from
    /// the address goes back.
    package struct Pair: Sendable {
        /// Where senders send to; its port 0 leaves the choice to the system.
        package var listen: UDPAddress
        /// What the port stands for.
        package var to: UDPAddress
        /// The network towards `to`, with the seed that this pair has.
        package internal(set) var network: LinkSettings
        /// The network back, the same.
        package internal(set) var returnNetwork: LinkSettings
    }

    /// The pairs, in the order in which they were added.
    package private(set) var pairs: [Pair] = []
    /// The network of pairs that are added without one.
    package let network: LinkSettings
    /// The return network of pairs that are added without one; `nil`: like their network.
    package let returnNetwork: LinkSettings?
    /// Whether each sender has a socket of its own towards the address, as behind a NAT. Default: no.
    package var usesNAT = false
    /// With ``usesNAT``: how many senders a pair has at once. A further one is refused, and counted.
    package var senderLimit = 256
    /// With ``usesNAT``: after how long without a datagram in either direction a sender is forgotten and its socket closed.
    /// Default 120 s, the least that RFC 4787 (REQ-5) grants a NAT.
    package var idleTime = MediaDuration.seconds(120)

    /// The most pairs of a relay.
    package static let maximumPairCount = 64

    /// Settings without a pair.
    package init(network: LinkSettings = .clean, returnNetwork: LinkSettings? = nil) {
        self.network = network
        self.returnNetwork = returnNetwork
    }

    /// Adds a pair, with a network of its own where one is given.
    package mutating func addPair(
        listen: UDPAddress, to: UDPAddress, network: LinkSettings? = nil, returnNetwork: LinkSettings? = nil
    ) {
        precondition(pairs.count < RelaySettings.maximumPairCount, "more than \(RelaySettings.maximumPairCount) pairs")
        let forward = network ?? self.network
        let back = returnNetwork ?? self.returnNetwork ?? forward
        let index = pairs.count
        pairs.append(
            Pair(
                listen: listen, to: to,
                network: forward.seeded(RelaySettings.seed(forward.seed, ofPair: index, .forward)),
                returnNetwork: back.seeded(RelaySettings.seed(back.seed, ofPair: index, .return))))
    }

    /// Says at which port a pair listens, where the choice was the system's.
    mutating func setListening(_ address: UDPAddress, ofPair index: Int) { pairs[index].listen = address }

    /// The seed of one direction of a pair, counted from zero, of a network that was given with `seed`.
    package static func seed(_ seed: UInt64, ofPair pair: Int, _ direction: RelayDirection) -> UInt64 {
        // Random numbers apart, not a constant: links take theirs in equal steps, and would have each other's.
        var seeds = SeededGenerator(seed: seed ^ 0x52_454C_4159)
        let base = pair == 0 ? seed : (0..<pair).reduce(seed) { _, _ in seeds.next() }
        return direction == .forward ? base : LinkSettings.clean.seeded(base).forWayBack.seed
    }
}

/// Which way a datagram goes through a relay.
package enum RelayDirection: String, Hashable, Sendable, CaseIterable {
    /// From a sender to the address that the port stands for.
    case forward
    /// From that address to a sender.
    case `return`
}

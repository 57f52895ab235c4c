package import RillCore
package import RillLink

/// The settings of a relay: which ports stand for which target addresses, and the network between them.
///
/// ```swift
/// let network = try LinkSettings(notation: "loss=2%,delay=40ms,seed=7")
/// var settings = RelaySettings(network: network)
/// settings.addPair(listen: UDPAddress(.loopback, port: 5004), to: UDPAddress(.loopback, port: 5006))
/// ```
///
/// All randomness follows from the seeds of the given networks. Each pair and direction has its own seed, derived
/// from them (``seed(_:ofPair:_:)``); otherwise two directions would lose the same datagrams. The first pair's
/// forward link has the given seed.
package struct RelaySettings: Sendable {
    /// A port that stands for a target address: datagrams from other senders go to the target, and datagrams from the
    /// target go back.
    package struct Pair: Sendable {
        /// The address that senders send to; port 0 leaves the choice to the system.
        package var listen: UDPAddress
        /// The target address.
        package var to: UDPAddress
        /// The network towards `to`, with this pair's seed.
        package internal(set) var network: LinkSettings
        /// The network of the return path, with this pair's seed.
        package internal(set) var returnNetwork: LinkSettings
    }

    /// The pairs, in the order in which they were added.
    package private(set) var pairs: [Pair] = []
    /// The network of pairs that are added without one.
    package let network: LinkSettings
    /// The return network of pairs that are added without one; `nil`: like their network.
    package let returnNetwork: LinkSettings?
    /// The directions in which all pairs share one bottleneck with its queue, as behind one access link. None by
    /// default: each pair has its own.
    ///
    /// It is the first pair's: its rate or trace, queue limit, headers, cross traffic and CUBIC flows are for all.
    /// Without a rate or a trace there is nothing to share. Everything behind the bottleneck remains each pair's own.
    package var sharedQueues: Set<RelayDirection> = []
    /// Whether each sender has its own socket towards the target, as behind a NAT. `false` by default.
    package var usesNAT = false
    /// With ``usesNAT``: the most senders of a pair at once. Further ones are refused, and counted.
    package var senderLimit = 256
    /// With ``usesNAT``: the time without a datagram in either direction after which a sender is removed and its
    /// socket closed. 120 s by default, the least that RFC 4787 (REQ-5) allows a NAT.
    package var idleTime = MediaDuration.seconds(120)

    /// The most pairs of a relay.
    package static let maximumPairCount = 64

    /// Creates settings without a pair.
    package init(network: LinkSettings = .clean, returnNetwork: LinkSettings? = nil) {
        self.network = network
        self.returnNetwork = returnNetwork
    }

    /// Adds a pair, with its own network if one is given.
    ///
    /// - Parameters:
    ///   - listen: the address that senders send to; port 0 leaves the choice to the system.
    ///   - to: the target address.
    ///   - network: the network towards `to`; `nil` for ``network``.
    ///   - returnNetwork: the network of the return path; `nil` for ``returnNetwork``, or else the network towards
    ///     `to`.
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

    /// The bottleneck of all pairs in a direction; `nil` if they share none.
    func sharedBottleneck(_ direction: RelayDirection) -> Bottleneck? {
        guard sharedQueues.contains(direction), let first = pairs.first else { return nil }
        return Bottleneck(direction == .forward ? first.network : first.returnNetwork)
    }

    /// Sets the address that a pair listens at, if the system chose it.
    mutating func setListening(_ address: UDPAddress, ofPair index: Int) { pairs[index].listen = address }

    /// The seed of one direction of a pair, counted from zero, for a network that was given with `seed`.
    package static func seed(_ seed: UInt64, ofPair pair: Int, _ direction: RelayDirection) -> UInt64 {
        // Separated by random numbers instead of a constant: links draw theirs in equal steps, and would have each
        // other's.
        var seeds = SeededGenerator(seed: seed ^ 0x52_454C_4159)
        let base = pair == 0 ? seed : (0..<pair).reduce(seed) { _, _ in seeds.next() }
        return direction == .forward ? base : LinkSettings.clean.seeded(base).forReturnPath.seed
    }
}

/// The direction of a datagram through a relay.
package enum RelayDirection: String, Hashable, Sendable, CaseIterable {
    /// From a sender to the target address.
    case forward
    /// From the target address to a sender.
    case `return`
}

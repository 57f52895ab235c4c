import ArgumentParser
import Rill
import RillCore
import RillLab
import RillLink
import RillTransport

/// The directions in which the pairs of a relay share a queue, as given on the command line.
enum SharedQueue: String, CaseIterable, ExpressibleByArgument {
    case forward
    case `return`
    case both

    var directions: Set<RelayDirection> {
        switch self {
        case .forward: [.forward]
        case .return: [.return]
        case .both: [.forward, .return]
        }
    }
}

/// The pairs of a relay, as given on the command line.
struct RelayPairs {
    var listen: [String]
    var to: [String]
    var networks: [LinkSettings]
    var returnNetworks: [LinkSettings]
    var sharedQueue: SharedQueue?

    /// Checks the arguments, without resolving host names.
    func validate() throws {
        guard !listen.isEmpty, listen.count == to.count else {
            throw ValidationError(
                "--listen and --to go in pairs: there are \(listen.count) of --listen and \(to.count) of --to")
        }
        guard listen.count <= RelaySettings.maximumPairCount else {
            throw ValidationError("at most \(RelaySettings.maximumPairCount) pairs, not \(listen.count)")
        }
        for (name, count) in [("--network", networks.count), ("--return-network", returnNetworks.count)]
        where count > 1 && count != listen.count {
            throw ValidationError("\(name) is given once for all pairs or once for each: \(count) for \(listen.count)")
        }
        for direction in RelayDirection.allCases where sharedQueue?.directions.contains(direction) ?? false {
            try validateSharedQueue(direction)
        }
        for text in listen where RelayPairs.port(text) == nil && HostAndPort(text) == nil {
            throw ValidationError(
                "--listen \(text): expected a port, like 5004, or ADDRESS:PORT, like 0.0.0.0:5004 or [::]:5004")
        }
        for text in to {
            guard let parts = HostAndPort(text), parts.port > 0 else {
                throw ValidationError(
                    "--to \(text): expected HOST:PORT, like 127.0.0.1:5004, [::1]:5004 or example.org:5004")
            }
        }
    }

    private func validateSharedQueue(_ direction: RelayDirection) throws {
        let option = direction == .forward || returnNetworks.isEmpty ? "--network" : "--return-network"
        let networks = listen.indices.map { index in
            (direction == .return ? of(returnNetworks, index) : nil) ?? of(self.networks, index) ?? .clean
        }
        guard networks[0].rate != nil || networks[0].trace != nil else {
            throw ValidationError("--shared-queue: \(option) has no rate or trace, and so no queue to share")
        }
        for (index, network) in networks.enumerated() where !network.hasSameBottleneck(as: networks[0]) {
            throw ValidationError(
                "--shared-queue: pairs that share a queue need the same rate, trace, queue, headers, cross traffic and"
                    + " CUBIC flows: \(option) of pair \(index + 1) differs")
        }
    }

    /// The settings of the relay. Resolves host names.
    func settings() throws -> RelaySettings {
        var settings = RelaySettings()
        settings.sharedQueues = sharedQueue?.directions ?? []
        for index in listen.indices {
            let address = try resolve(to[index], of: "--to").unmapped
            settings.addPair(
                listen: try listening(listen[index], for: address), to: address,
                network: of(networks, index) ?? .clean, returnNetwork: of(returnNetworks, index))
        }
        return settings
    }

    private func of(_ networks: [LinkSettings], _ index: Int) -> LinkSettings? {
        networks.count > 1 ? networks[index] : networks.first
    }

    /// The address to listen on. A port alone is on the loopback address.
    private func listening(_ text: String, for address: UDPAddress) throws -> UDPAddress {
        guard let port = RelayPairs.port(text) else { return try resolve(text, of: "--listen").unmapped }
        switch address.ip {
        case .v6(1, _): return UDPAddress(.loopbackV6, port: port)
        default: return UDPAddress(.loopback, port: port)
        }
    }

    private static func port(_ text: String) -> UInt16? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
    }
}

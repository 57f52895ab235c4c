import RillCore
import RillLink
import RillPeer
import RillPeerSupport

/// Two agents that know each other's credentials and candidates, on a network.
struct AgentPair {
    let client: AgentEnd
    let server: AgentEnd
    let network: VirtualNetwork
    let clientAddresses: [UDPAddress]
    let serverAddresses: [UDPAddress]

    static func address(_ text: String) -> UDPAddress {
        guard let address = UDPAddress(text) else { preconditionFailure("\(text) is not an address") }
        return address
    }

    /// - Parameter isTrickled: whether the agents do not get each other's candidates.
    init(
        _ clientRole: ICERole = .controlling, _ serverRole: ICERole = .controlled,
        clients: [String] = ["10.0.0.2:4000"],
        servers: [String] = ["192.0.2.1:5004"], link: LinkSettings = .clean, seed: UInt64 = 1, isTrickled: Bool = false,
        _ change: (inout ICESettings) -> Void = { _ in }
    ) throws {
        var generator = SeededGenerator(seed: seed)
        func end(_ role: ICERole, _ addresses: [UDPAddress]) throws -> AgentEnd {
            var settings = ICESettings(seed: generator.next())
            change(&settings)
            let agent = ICEAgent(role, credentials: ICECredentials(using: &generator), settings: settings)
            for (socket, address) in addresses.enumerated() { try agent.addLocalCandidate(address, socket: socket) }
            return AgentEnd(agent)
        }
        clientAddresses = clients.map(AgentPair.address)
        serverAddresses = servers.map(AgentPair.address)
        client = try end(clientRole, clientAddresses)
        server = try end(serverRole, serverAddresses)
        network = VirtualNetwork(link.seeded(seed))
        network.add(client, at: clientAddresses)
        network.add(server, at: serverAddresses)
        try introduce(server, to: client, withCandidates: !isTrickled)
        try introduce(client, to: server, withCandidates: !isTrickled)
    }

    func introduce(_ one: AgentEnd, to other: AgentEnd, withCandidates: Bool = true) throws {
        try other.agent.setRemote(one.agent.credentials, isLite: false, at: network.now)
        if withCandidates { announce(one, to: other) }
    }

    private func announce(_ one: AgentEnd, to other: AgentEnd) {
        for candidate in one.agent.localCandidates { other.agent.addRemoteCandidate(candidate, at: network.now) }
        other.agent.endRemoteCandidates()
    }

    var isCompleted: Bool { client.agent.state == .completed && server.agent.state == .completed }

    /// Runs until both are completed, at most that long.
    func connect(within duration: MediaDuration = .seconds(60)) {
        network.run(until: network.now + duration) { isCompleted }
    }
}

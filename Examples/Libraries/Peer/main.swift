// library-peer: RillPeer alone. The agent of a client and that of a server find each other, 10 ms apart, in virtual
// time.

import RillPeer

var generator = SystemRandomNumberGenerator()
let addresses = [UDPAddress(.v4(0xC000_0202), port: 4000), UDPAddress(.v4(0xC000_0201), port: 5004)]
let agents = [ICERole.controlling, .controlled].map { role in
    ICEAgent(role, credentials: ICECredentials(using: &generator), settings: ICESettings(seed: generator.next()))
}
for (agent, address) in zip(agents, addresses) { try agent.addLocalCandidate(address) }

var now = MediaTime.zero
try agents[0].setRemote(agents[1].credentials, isLite: false, at: now)
try agents[1].setRemote(agents[0].credentials, isLite: false, at: now)
for candidate in agents[1].localCandidates { agents[0].addRemoteCandidate(candidate, at: now) }

/// Polls an agent, and returns what it transmits.
func transmitted(by agent: ICEAgent, at now: MediaTime) -> [[UInt8]] {
    var datagrams: [[UInt8]] = []
    var bytes: [UInt8] = []
    while true {
        switch agent.poll(at: now, into: &bytes) {
        case .transmit: datagrams.append(bytes)
        case .event(let event): print("\(now): \(agent.role == .controlled ? "server" : "client") \(event)")
        case .wait: return datagrams
        }
    }
}

while agents.contains(where: { $0.state != .completed }), now.seconds < 1 {
    let outgoing = agents.map { transmitted(by: $0, at: now) }
    now += .milliseconds(10)
    for index in agents.indices {
        for datagram in outgoing[1 - index] {
            agents[index].insert(datagram.span, on: ICEPath(addresses[1 - index]), at: now)
        }
    }
}
for agent in agents { _ = transmitted(by: agent, at: now) }
print("\(now): \(agents.map(\.state.rawValue))")

// lossy-relay PORT A-HOST:PORT PORT B-HOST:PORT NETWORK SECONDS
//
// A network between two programs: datagrams that arrive at the first port are sent to B from the second, and vice
// versa. Each direction has its own emulated link.
//
//     lossy-relay 6000 127.0.0.1:5004 6001 127.0.0.1:5005 loss=5%,delay=20ms,seed=1 10

import Rill
import RillLab
import RillLink

let arguments = CommandLine.arguments
guard arguments.count == 7, let near = UInt16(arguments[1]), let far = UInt16(arguments[3]),
    let seconds = Int(arguments[6])
else { fatalError("lossy-relay PORT A-HOST:PORT PORT B-HOST:PORT NETWORK SECONDS") }

let clock = LiveClock()
let sockets = try [near, far].map { try UDPSocket(boundTo: UDPAddress(.loopback, port: $0)) }
let addresses = try [arguments[2], arguments[4]].map { try UDPAddress.resolve($0) }
let network = try LinkSettings(notation: arguments[5])

/// Passes the datagrams that arrive at a socket to the link.
func relay(_ socket: UDPSocket, _ link: LiveLink) throws {
    var datagram: [UInt8] = []
    while clock.now < .zero + .seconds(seconds) {
        guard try socket.receive(into: &datagram, within: .milliseconds(100)) != nil else { continue }
        link.send(datagram.span, at: clock.now)
    }
}

func link(to other: Int) throws -> LiveLink {
    let (socket, address) = (sockets[other], addresses[other])
    return try LiveLink(network, clock: clock) { datagram, _ in
        // As in a network, a datagram that the system does not accept is lost.
        try? socket.send(datagram, to: address)
    }
}

let (there, back) = (try link(to: 1), try link(to: 0))
let reader = Task.detached { try relay(sockets[1], back) }
try relay(sockets[0], there)
try await reader.value
for (name, link) in [("there", there), ("back", back)] {
    print("\(name): \(link.statistics.sent) sent, \(link.statistics.lost) lost")
}

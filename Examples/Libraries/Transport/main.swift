// library-transport: RillTransport alone. Sends a datagram to a socket on this machine, and receives the answer.

import RillCore
import RillTransport

let server = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
let client = try ConnectedUDPSocket(to: server.localAddress)
try client.send([1, 2, 3].span)

var bytes: [UInt8] = []
guard let question = try server.receive(into: &bytes, within: .seconds(10)) else { fatalError("no question arrived") }
try server.send((bytes + [4]).span, to: question.source)
guard let answer = try client.receive(into: &bytes, within: .seconds(10)) else { fatalError("no answer arrived") }

let isFromServer = answer.source == server.localAddress && question.source == client.localAddress
print(
    "\(answer.byteCount) bytes came back: \(bytes), addresses right: \(isFromServer), sent: \(client.statistics.sent)"
)

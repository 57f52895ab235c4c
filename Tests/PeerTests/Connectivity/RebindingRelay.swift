import RillCore
import RillTransport

/// A relay on the way from a browser to an agent, which behaves like a NAT: it may lose everything for a while, or give
/// the browser another port.
final class RebindingRelay {
    /// Whether all is lost.
    var isBlocked = false
    private let inner: UDPSocket
    private var outer: [UDPSocket]
    private let server: UDPAddress
    private var client: UDPAddress?

    /// A relay to the agent at that port of this machine.
    init(to port: UInt16) throws {
        server = UDPAddress(.loopback, port: port)
        inner = try UDPSocket(boundTo: UDPAddress(.v4(0), port: 0))
        outer = [try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))]
    }

    /// The port for the browser.
    var port: UInt16 { inner.localAddress.port }

    /// The port from which the agent now sees the browser send.
    var outerPort: UInt16 { outer[outer.count - 1].localAddress.port }

    /// Gives the browser another port. What is sent to the former one is lost.
    func rebind() throws {
        outer.append(try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)))
    }

    /// Passes on what has come.
    func forward() throws {
        var bytes: [UInt8] = []
        while let datagram = try inner.receive(into: &bytes, within: .zero) {
            client = datagram.source
            if !isBlocked { try outer[outer.count - 1].send(bytes.span, to: server) }
        }
        for (index, socket) in outer.enumerated() {
            while try socket.receive(into: &bytes, within: .zero) != nil {
                guard let client, !isBlocked, index == outer.count - 1 else { continue }
                try inner.send(bytes.span, to: client)
            }
        }
    }
}

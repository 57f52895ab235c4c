import RillCore
import RillTransport

/// A UDP socket of this test on 127.0.0.1, on a port of its own: what a peer sends to it is kept by the
/// system until it is asked for.
package struct LocalSocket {
    private let socket: UDPSocket

    /// Opens the socket.
    package init() throws {
        var settings = UDPSocket.Settings()
        settings.receiveBufferByteCount = 8 << 20
        socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0), settings: settings)
    }

    /// The port, chosen by the system.
    package var port: UInt16 { socket.localAddress.port }

    /// All datagrams that have come.
    package func received() throws -> [[UInt8]] {
        var (datagrams, bytes): ([[UInt8]], [UInt8]) = ([], [])
        while try socket.receive(into: &bytes, within: .zero) != nil { datagrams.append(bytes) }
        return datagrams
    }
}

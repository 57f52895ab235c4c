public import RillCore

/// Where datagrams come from and go to: a socket of this side, and an address of the other.
public struct ICEPath: Hashable, Sendable {
    /// The driver's number of the socket.
    public var socket: Int
    /// The address of the other side.
    public var remote: UDPAddress

    /// Creates a path.
    ///
    /// - Parameters:
    ///   - socket: the driver's number of the socket.
    ///   - remote: the address of the other side.
    public init(socket: Int = 0, _ remote: UDPAddress) {
        self.socket = socket
        self.remote = remote
    }
}

extension ICEPath {
    /// Hashes one word for IPv4, where the synthesized method hashes five: a port looks up a path for each datagram.
    public func hash(into hasher: inout Hasher) {
        guard case .v4(let address) = remote.ip else {
            hasher.combine(socket)
            return hasher.combine(remote)
        }
        hasher.combine(UInt64(truncatingIfNeeded: socket) << 48 | UInt64(address) << 16 | UInt64(remote.port))
    }
}

extension ICEPath: CustomStringConvertible {
    /// `socket 0 to 192.0.2.1:5004`.
    public var description: String { "socket \(socket) to \(remote)" }
}

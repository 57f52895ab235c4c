import Glibc
public import RillCore

/// Errors of the real network.
public enum TransportError: Error, Equatable, Sendable {
    /// A text is not an address with a port.
    case invalidAddress(String)
    /// The name service has no address for the host.
    case hostNotFound(String, reason: String)
    /// A socket operation failed; `code` is its `errno`.
    case socketFailed(SocketOperation, UDPAddress?, code: Int32)

    /// The operations on a socket.
    public enum SocketOperation: String, Sendable, CaseIterable {
        /// Creating the socket.
        case open
        /// Setting buffer sizes and other options.
        case configure
        /// Binding to a local address.
        case bind
        /// Connecting to a remote address.
        case connect
        /// Sending a datagram.
        case send
        /// Receiving a datagram.
        case receive
    }
}

extension TransportError: CustomStringConvertible {
    /// A description of the error in one sentence.
    public var description: String {
        switch self {
        case .invalidAddress(let text):
            "\"\(text)\" is not an address: expected HOST:PORT, like 127.0.0.1:5004, [::1]:5004 or example.org:5004"
        case .hostNotFound(let host, let reason):
            "\(host): no address found: \(reason)"
        case .socketFailed(let operation, let address, let code):
            "UDP\(address.map { " \($0)" } ?? ""): cannot \(operation.rawValue): \(systemText(code))\(advice(code))"
        }
    }
}

/// Advice for errors whose remedy is not obvious.
private func advice(_ code: Int32) -> String {
    switch code {
    case EADDRINUSE: "; choose another port, or 0 for any"
    case EADDRNOTAVAIL: "; this machine does not have that address"
    case EACCES: "; ports below 1024 and broadcasts require privileges"
    case EMSGSIZE: "; send smaller packets"
    case ENETUNREACH, EHOSTUNREACH: "; there is no route from this machine"
    case EMFILE: "; this process needs a few more open files than it may have: raise the limit with `ulimit -n`"
    case ENFILE: "; too many files and sockets are open"
    default: ""
    }
}

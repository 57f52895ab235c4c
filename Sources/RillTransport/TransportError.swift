import Glibc
public import RillCore

/// What a real network refused.
public enum TransportError: Error, Equatable, Sendable {
    /// A text is not an address and a port.
    case invalidAddress(String)
    /// The name service has no address of that host.
    case hostNotFound(String, reason: String)
    /// The system refused a socket something; `code` is its `errno`.
    case socketFailed(SocketOperation, UDPAddress?, code: Int32)

    /// What was asked of a socket.
    public enum SocketOperation: String, Sendable, CaseIterable {
        /// To be there.
        case open
        /// To have buffers of some size, or to share a port.
        case configure
        /// To receive at an address.
        case bind
        /// To exchange datagrams with an address.
        case connect
        /// To send a datagram.
        case send
        /// To receive one.
        case receive
    }
}

extension TransportError: CustomStringConvertible {
    /// One sentence for whoever chose the address.
    public var description: String {
        switch self {
        case .invalidAddress(let text):
            "\"\(text)\" is no address: expected HOST:PORT, like 127.0.0.1:5004, [::1]:5004 or example.org:5004"
        case .hostNotFound(let host, let reason):
            "\(host): no address found: \(reason)"
        case .socketFailed(let operation, let address, let code):
            "UDP\(address.map { " \($0)" } ?? ""): cannot \(operation.rawValue): \(systemText(code))\(advice(code))"
        }
    }
}

/// What to do about it, where that is not plain.
private func advice(_ code: Int32) -> String {
    switch code {
    case EADDRINUSE: "; choose another port, or 0 for any"
    case EADDRNOTAVAIL: "; the address is none of this machine's"
    case EACCES: "; ports below 1024 and broadcasts need rights"
    case EMSGSIZE: "; send smaller packets"
    case ENETUNREACH, EHOSTUNREACH: "; no way leads there from this machine"
    case EMFILE, ENFILE: "; too many files and sockets are open"
    default: ""
    }
}

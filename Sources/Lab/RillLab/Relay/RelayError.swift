package import RillTransport

/// Why a relay cannot start, or could not continue. Pairs count from zero.
package enum RelayError: Error, Equatable, Sendable {
    /// A system call on a pair's socket failed, or the system does not know an address.
    case socketFailed(pair: Int, TransportError)
    /// Datagrams of that pair come back to it: they would loop forever.
    case loop(pair: Int)
    /// Waiting for sockets failed.
    case waitFailed(TransportError)
}

extension RelayError: CustomStringConvertible {
    /// One sentence for the caller that chose the addresses.
    package var description: String {
        switch self {
        case .socketFailed(_, let error), .waitFailed(let error): "\(error)"
        case .loop(let pair):
            "pair \(pair + 1) leads back to a port of this relay, and from there to itself: datagrams would loop "
                + "forever; choose another address"
        }
    }
}

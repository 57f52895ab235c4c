package import RillTransport

/// Why a relay cannot begin, or could not go on. Pairs count from zero.
package enum RelayError: Error, Equatable, Sendable {
    /// The system refused a socket of a pair something, or does not know an address.
    case socketFailed(pair: Int, TransportError)
    /// What goes into that pair comes back to it: datagrams would go round for ever.
    case loop(pair: Int)
    /// The system refused to wait for sockets.
    case waitFailed(TransportError)
}

extension RelayError: CustomStringConvertible {
    /// One sentence for whoever chose the addresses.
    package var description: String {
        switch self {
        case .socketFailed(_, let error), .waitFailed(let error): "\(error)"
        case .loop(let pair):
            "pair \(pair + 1) leads back to a port of this relay, and from there to itself: datagrams would go round for "
                + "ever; choose another address"
        }
    }
}

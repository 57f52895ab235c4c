package import RillCore
package import RillLink

/// A socket of a relay.
package enum RelaySocket: Hashable, Sendable {
    /// Where the senders of a pair send to.
    case listening(pair: Int)
    /// What a pair speaks to its address from, where it listens at one that cannot reach that.
    case outward(pair: Int)
    /// With NAT: what a pair speaks to its address from in the name of one sender; numbers are not used twice.
    case sender(pair: Int, number: Int)

    /// The pair that it belongs to.
    package var pair: Int {
        switch self {
        case .listening(let pair), .outward(let pair), .sender(let pair, _): pair
        }
    }
}

/// What a relay did with a datagram that came.
package enum RelayReceipt: Sendable {
    /// It was sent over a link; what the link says of it stands there.
    case sent(RelayEntry)
    /// It went no further.
    case refused(RelayRefusal)
}

/// A datagram that was sent over a link.
package struct RelayEntry: Sendable {
    package let pair: Int
    package let direction: RelayDirection
    /// Which one it is on its link, counted from zero.
    package let number: Int
    package let byteCount: Int
    /// When it came, on the schedule's clock.
    package let arrival: MediaTime
    /// What becomes of it.
    package let outcome: RillLink.SendOutcome
}

/// Why a datagram that came is not sent over a link.
package enum RelayRefusal: String, Hashable, Sendable {
    /// It is from the pair's address, and nobody else has spoken yet.
    case noPeer = "no-peer"
    /// With NAT: it is from a new sender, and there are as many as a pair may have.
    case tooManySenders = "too-many-senders"
    /// It came to a socket that speaks with the pair's address alone, from somebody else.
    case stranger
}

/// What a relay asks for.
package enum RelayAction: Sendable {
    /// To send the bytes that were polled.
    case send(RelayDeparture)
    /// To close a sender's socket: it was idle. The number is not used again.
    case close(RelaySocket)
}

/// A datagram that leaves a relay.
package struct RelayDeparture: Sendable {
    package let pair: Int
    package let direction: RelayDirection
    /// Which one it is on its link, counted from zero.
    package let number: Int
    package let byteCount: Int
    /// When it came, on the schedule's clock.
    package let arrival: MediaTime
    /// When the link has it arrive at the other end, on the same clock.
    package let scheduled: MediaTime
    /// When it was polled, on the same clock.
    package let departure: MediaTime
    /// What to send it from.
    package let socket: RelaySocket
    /// Where to.
    package let destination: UDPAddress
    /// A second copy follows it.
    package let isDuplicated: Bool
    /// It is the second copy.
    package let isCopy: Bool
    /// Some of its bits were flipped.
    package let isCorrupted: Bool
    /// It was held back so that others could overtake it.
    package let isHeldBack: Bool
    /// One that came after it has left before it.
    package let isReordered: Bool
}

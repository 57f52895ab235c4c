public import RillCore

/// What became of a datagram that was sent over an ``EmulatedLink``.
public enum SendOutcome: Hashable, Sendable {
    /// It will arrive at `arrival`, and a second time at `copyArrival` where it was duplicated; with some of its bits
    /// flipped where `isCorrupted`.
    case queued(arrival: MediaTime, copyArrival: MediaTime?, isCorrupted: Bool)
    /// It will not arrive.
    case lost(LossReason)
}

/// Why a datagram that was sent over an ``EmulatedLink`` will not arrive.
public enum LossReason: Hashable, Sendable {
    /// By ``LinkSettings/loss``, each datagram for itself.
    case random
    /// By ``LinkSettings/burst``, like its neighbours.
    case burst
    /// It left the bottleneck, or the wireless hop behind it, in one of ``LinkSettings/blackouts``.
    case blackout
    /// The bottleneck's queue was full: it would have had to wait this long for its first bit to go.
    case queueFull(wait: MediaDuration)
    /// The link held as much as it has memory for (65 536 datagrams or 64 MiB): nobody polls, or the delay is too long
    /// for the rate.
    case linkFull
    /// It is larger than ``EmulatedLink/maximumDatagramSize``.
    case tooLarge(byteCount: Int)
}

/// How a datagram came to the end of an ``EmulatedLink``.
public struct Delivery: Hashable, Sendable {
    /// Which call of `send` it is from, counted from zero.
    public let sequence: Int
    /// When it was sent.
    public let sendTime: MediaTime
    /// When it arrived: what is late is the one who polls.
    public internal(set) var arrival: MediaTime
    /// Whether it is the second copy.
    public internal(set) var isCopy: Bool
    /// Whether it was held back so that later ones could overtake it.
    public let isHeldBack: Bool
    /// Whether some of its bits were flipped on the way.
    public let isCorrupted: Bool
}

/// What an ``EmulatedLink`` has done since it was made.
///
/// Every datagram is in one place: `sent + copied = lost + droppedByQueue + refused + delivered`, and those that are
/// still on their way.
public struct LinkStatistics: Codable, Hashable, Sendable {
    /// Calls of `send`.
    public internal(set) var sent = 0
    /// Bytes of the datagrams that were sent.
    public internal(set) var sentBytes = 0
    /// Second copies that were made.
    public internal(set) var copied = 0
    /// Lost each for itself: ``LossReason/random``.
    public internal(set) var lostRandomly = 0
    /// Lost like their neighbours: ``LossReason/burst``.
    public internal(set) var lostInBursts = 0
    /// Lost while nothing got through: ``LossReason/blackout``.
    public internal(set) var lostInBlackouts = 0
    /// Dropped because the bottleneck's queue was full.
    public internal(set) var droppedByQueue = 0
    /// Refused because the link was full.
    public internal(set) var refusedAsFull = 0
    /// Refused as too large.
    public internal(set) var refusedAsTooLarge = 0
    /// Held back so that later ones could overtake them.
    public internal(set) var heldBack = 0
    /// Damaged on the way; they arrive all the same.
    public internal(set) var corrupted = 0
    /// Datagrams that arrived, copies included.
    public internal(set) var delivered = 0
    /// Bytes of the datagrams that arrived.
    public internal(set) var deliveredBytes = 0
    /// The least time that a datagram takes, of those sent so far that arrive; `nil` before the first. Where
    /// ``LinkSettings/smallestDelay`` is a matter of chance, this is what it came to.
    public internal(set) var smallestDelay: MediaDuration?

    /// Lost behind the bottleneck, for whatever reason.
    public var lost: Int { lostRandomly + lostInBursts + lostInBlackouts }
    /// Refused as too large or because the link was full.
    public var refused: Int { refusedAsFull + refusedAsTooLarge }

    mutating func count(_ reason: LossReason) {
        switch reason {
        case .random: lostRandomly += 1
        case .burst: lostInBursts += 1
        case .blackout: lostInBlackouts += 1
        case .queueFull: droppedByQueue += 1
        case .linkFull: refusedAsFull += 1
        case .tooLarge: refusedAsTooLarge += 1
        }
    }
}

extension LinkStatistics: CustomStringConvertible {
    /// What is not zero, by name: `sent 310, lostRandomly 3, delivered 307`.
    public var description: String { countedText(self) }
}

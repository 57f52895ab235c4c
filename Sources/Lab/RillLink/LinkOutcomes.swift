public import RillCore

/// The outcome of a datagram that was sent over an ``EmulatedLink``.
public enum SendOutcome: Hashable, Sendable {
    /// It arrives at `arrival`, and again at `copyArrival` if it is duplicated; some of its bits are flipped if
    /// `isCorrupted`.
    case queued(arrival: MediaTime, copyArrival: MediaTime?, isCorrupted: Bool)
    /// It does not arrive.
    case lost(LossReason)
}

/// Why a datagram that was sent over an ``EmulatedLink`` does not arrive.
public enum LossReason: Hashable, Sendable {
    /// By ``LinkSettings/loss``, individually.
    case random
    /// By ``LinkSettings/burst``, like its neighbors.
    case burst
    /// It left the bottleneck, or the wireless hop after it, in one of ``LinkSettings/blackouts``.
    case blackout
    /// The bottleneck's queue was full: its first bit would have waited this long.
    case queueFull(wait: MediaDuration)
    /// The link's memory was full (65 536 datagrams or 64 MiB): it is not polled, or the delay is too long for the
    /// rate.
    case linkFull
    /// It is larger than ``EmulatedLink/maximumDatagramSize``.
    case tooLarge(byteCount: Int)
}

/// How a datagram arrived at the end of an ``EmulatedLink``.
public struct Delivery: Hashable, Sendable {
    /// The number of the `send` call, counted from zero.
    public let sequence: Int
    /// When it was sent.
    public let sendTime: MediaTime
    /// When it arrived, even if it was polled later.
    public internal(set) var arrival: MediaTime
    /// Whether it is the second copy.
    public internal(set) var isCopy: Bool
    /// Whether it was held back so that later ones could overtake it.
    public let isHeldBack: Bool
    /// Whether some of its bits were flipped.
    public let isCorrupted: Bool
}

/// The statistics of an ``EmulatedLink`` since it was created.
///
/// Every datagram is counted once: `sent + copied = lost + droppedByQueue + refused + delivered`, plus those in
/// flight.
public struct LinkStatistics: Codable, Hashable, Sendable {
    /// Calls of `send`.
    public internal(set) var sent = 0
    /// Bytes of the datagrams that were sent.
    public internal(set) var sentBytes = 0
    /// Second copies that were made.
    public internal(set) var copied = 0
    /// Lost individually: ``LossReason/random``.
    public internal(set) var lostRandomly = 0
    /// Lost like their neighbors: ``LossReason/burst``.
    public internal(set) var lostInBursts = 0
    /// Lost in a blackout: ``LossReason/blackout``.
    public internal(set) var lostInBlackouts = 0
    /// Dropped because the bottleneck's queue was full.
    public internal(set) var droppedByQueue = 0
    /// Refused because the link was full.
    public internal(set) var refusedAsFull = 0
    /// Refused as too large.
    public internal(set) var refusedAsTooLarge = 0
    /// Held back so that later ones could overtake them.
    public internal(set) var heldBack = 0
    /// Corrupted; they arrive all the same.
    public internal(set) var corrupted = 0
    /// Datagrams that arrived, including copies.
    public internal(set) var delivered = 0
    /// Bytes of the datagrams that arrived.
    public internal(set) var deliveredBytes = 0
    /// The shortest delay of the datagrams sent so far that arrive; `nil` before the first. If
    /// ``LinkSettings/smallestDelay`` depends on chance, this is the actual value.
    public internal(set) var smallestDelay: MediaDuration?

    /// Lost after the bottleneck, for any reason.
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
    /// The non-zero counters by name: `sent 310, lostRandomly 3, delivered 307`.
    public var description: String { countedText(self) }
}

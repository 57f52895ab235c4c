public import RillCore

/// What became of a datagram that was sent over an ``EmulatedLink``.
public enum SendOutcome: Hashable, Sendable {
    /// It will arrive at `arrival`, and a second time at `copyArrival` where it was duplicated.
    case queued(arrival: MediaTime, copyArrival: MediaTime?)
    /// It was lost on the way, behind the bottleneck: it took its time there.
    case lost
    /// The bottleneck's queue was full: it would have had to wait this long.
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
}

/// What an ``EmulatedLink`` has done since it was made.
///
/// Every datagram is in one place: `sent + copied = lost + droppedByQueue + refused + delivered`, and those that are
/// still on their way.
public struct LinkStatistics: Hashable, Sendable {
    /// Calls of `send`.
    public internal(set) var sent = 0
    /// Bytes of the datagrams that were sent.
    public internal(set) var sentBytes = 0
    /// Second copies that were made.
    public internal(set) var copied = 0
    /// Lost behind the bottleneck.
    public internal(set) var lost = 0
    /// Dropped because the bottleneck's queue was full.
    public internal(set) var droppedByQueue = 0
    /// Refused as too large or because the link was full.
    public internal(set) var refused = 0
    /// Held back so that later ones could overtake them.
    public internal(set) var heldBack = 0
    /// Datagrams that arrived, copies included.
    public internal(set) var delivered = 0
    /// Bytes of the datagrams that arrived.
    public internal(set) var deliveredBytes = 0
}

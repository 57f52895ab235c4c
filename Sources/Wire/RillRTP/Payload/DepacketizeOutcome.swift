/// The result of inserting a packet into a depacketizer.
public enum DepacketizeOutcome: Equatable, Sendable {
    /// The packet starts a frame: the array was cleared and now holds this piece.
    case started
    /// The packet's piece was appended.
    case continued
    /// The packet is the last (maybe the only) one of its frame: the array holds the whole frame.
    case completed
    /// The packet has no payload, only padding.
    case empty
    /// The packet was not used. The current frame is dropped, unless the packet was `late`.
    case outOfPlace(Reason)
    /// The packet does not have this payload format. The current frame is dropped.
    case malformed(RTPError)

    /// The reason why a packet was not used.
    public enum Reason: Equatable, Sendable {
        /// Its sequence number equals the newest one or is up to 1000 before it: a duplicate, or too late.
        case late
        /// It belongs to a frame whose start is missing, or follows a gap.
        case noStart
        /// It does not start a frame, and its timestamp differs from the current frame's.
        case otherTimestamp
        /// The frame would exceed the size limit.
        case tooLarge
    }
}

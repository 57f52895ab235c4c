/// What became of a packet that was given to a depacketizer.
public enum DepacketizeOutcome: Equatable, Sendable {
    /// It begins a frame: the array was emptied and holds this piece.
    case started
    /// Its piece was appended.
    case continued
    /// It was the frame's last (and maybe only) packet: the array holds the whole frame.
    case completed
    /// It has no payload, only padding.
    case empty
    /// It is not used. The frame in work is given up, unless the packet was `late`.
    case outOfPlace(Reason)
    /// It is no packet of this payload format. The frame in work is given up.
    case malformed(RTPError)

    /// Why a packet is not used.
    public enum Reason: Equatable, Sendable {
        /// Its sequence number is the newest one's or up to 1000 before it: a duplicate, or too late.
        case late
        /// It is in the middle of a frame whose beginning is missing, or that has a gap before it.
        case noStart
        /// It does not begin a frame but has another timestamp than the frame in work.
        case otherTimestamp
        /// The frame would have more bytes than the limit.
        case tooLarge
    }
}

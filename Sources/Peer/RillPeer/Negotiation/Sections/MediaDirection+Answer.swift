import RillRTP

extension MediaDirection {
    /// A direction by its two halves.
    init(sends: Bool, receives: Bool) {
        self =
            switch (sends, receives) {
            case (true, true): .sendAndReceive
            case (true, false): .sendOnly
            case (false, true): .receiveOnly
            case (false, false): .inactive
            }
    }

    /// Whether its writer sends.
    var sends: Bool { self == .sendAndReceive || self == .sendOnly }
    /// Whether its writer receives.
    var receives: Bool { self == .sendAndReceive || self == .receiveOnly }

    /// The direction as the other side sees it.
    var reversed: MediaDirection { MediaDirection(sends: receives, receives: sends) }

    /// What two sides have in common; both as the same side sees it (RFC 3264 §6.1).
    func intersection(_ other: MediaDirection) -> MediaDirection {
        MediaDirection(sends: sends && other.sends, receives: receives && other.receives)
    }
}

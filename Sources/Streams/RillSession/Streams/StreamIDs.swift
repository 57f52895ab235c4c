/// An identifier of a stream that a session sends; it is never reused in the session.
public struct SendingStreamID: Hashable, Sendable {
    let place: StreamPlace
}

/// An identifier of a stream that a session receives; it is never reused in the session.
public struct ReceivingStreamID: Hashable, Sendable {
    let place: StreamPlace
}

extension ReceivingStreamID {
    /// The stream's index among those that are received now.
    package var number: Int { Int(place.index) }
}

extension SendingStreamID {
    /// The value of ``RillCore/OutgoingPacket/stream`` in its packets.
    public var number: Int { Int(place.index) }
}

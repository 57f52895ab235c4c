/// One of the streams that a session sends; no other stream of the session ever bears its number.
public struct SendingStreamID: Hashable, Sendable {
    let place: StreamPlace
}

/// One of the streams that a session receives; no other stream of the session ever bears its number.
public struct ReceivingStreamID: Hashable, Sendable {
    let place: StreamPlace
}

extension ReceivingStreamID {
    /// Where the stream stands among those that are received now.
    package var number: Int { Int(place.index) }
}

extension SendingStreamID {
    /// What ``RillCore/OutgoingPacket/stream`` says of its packets.
    public var number: Int { Int(place.index) }
}

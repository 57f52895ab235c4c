public import RillCore

/// What ``RoomClient/poll(at:)`` asks for.
public enum RoomClientAction: Equatable, Sendable {
    /// Open a channel, then call ``RoomClient/channelOpened(at:)`` or ``RoomClient/channelClosed(at:)``.
    case openChannel
    /// Close it, or give up opening it. It is forgotten already.
    case closeChannel
    /// Send a request on it.
    case send(RoomRequest)
    /// Make an offer, and hand it to ``RoomClient/offer(_:at:)``. Of the media that there are, with other ICE
    /// credentials, if `restarts`; else of new media.
    case makeOffer(restarts: Bool)
    /// Report to the app.
    case event(RoomClientEvent)
    /// Poll again at this time, or after the next call.
    case wait(until: MediaTime)
}

/// Where a client stands.
public enum RoomClientStatus: Equatable, Sendable {
    /// Not begun.
    case idle
    /// It comes in.
    case joining
    /// It is in the room, and hears the server.
    case connected
    /// Nothing came from the server for 4 s. It opens another channel.
    case interrupted
    /// Nothing for 10 s. It goes on trying.
    case lost
    /// It is out, and does not come back by itself: the server said so, or refused it.
    case ended(EndReason)
    /// The server does not let it in.
    case refused(RoomError)

    /// Whether the client is out, and does not come back by itself.
    var isOver: Bool {
        switch self {
        case .ended, .refused: true
        case .idle, .joining, .connected, .interrupted, .lost: false
        }
    }
}

/// What happens to a client.
public enum RoomClientEvent: Equatable, Sendable {
    /// It stands elsewhere.
    case status(RoomClientStatus)
    /// It is in the room with this number. When it `isFresh`, it was not right before, and others saw it join.
    case entered(UID, isFresh: Bool)
    /// The server's picture of the room was taken over as a whole: ``RoomClient/room``. Events follow.
    case snapshot
    /// Something happened in the room, which ``RoomClient/room`` shows.
    case room(NumberedEvent)
    /// The answer to an offer.
    case answer(String)
    /// App data came. `missed` messages before it were not kept, as the client did not keep up.
    case data(from: UID, text: String, missed: Int)
    /// How loud participants are.
    case levels([SoundLevel])
    /// A slot shows something else.
    case slot(SlotState)
    /// Somebody wants a layer that it publishes, or nobody any more.
    case layer(LayerInterest)
    /// The chat has changed otherwise than by an event: ``RoomClient/conversation``.
    case conversation
    /// Somebody is typing.
    case typing(UID)
    /// For hosts: a message is reported.
    case reported(ReportedMessage)
    /// The answer to `reports`.
    case reports(request: Int, [ReportedMessage])
    /// The answer to `history`.
    case messages(request: Int, [ChatMessage])
    /// A request was done; the number is of the event that it caused.
    case done(request: Int, number: Int?)
    /// A request was refused.
    case refused(request: Int, RoomError)
    /// A message was taken by the server; the number is a chat message's.
    case sent(OutgoingMessage, number: Int?)
    /// A message was refused. It is not sent by itself any more.
    case failed(OutgoingMessage, RoomError)
}

/// A message of a client that waits to be sent. Messages go out one at a time and in order.
public enum OutgoingMessage: Equatable, Sendable {
    /// App data to somebody, or to all others.
    case data(String, to: UID?)
    /// A chat message with the client's own id.
    case chat(OutgoingChat)
}

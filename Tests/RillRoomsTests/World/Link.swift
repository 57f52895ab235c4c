import RillCore
import RillRooms

/// A client's network: what is on its way while it is cut arrives afterwards, as with TCP, unless its channel was
/// closed.
final class Link {
    var delay: MediaDuration
    var cutUntil = MediaTime.zero
    /// The least time between two messages to the client.
    var readingTime = MediaDuration.zero

    init(delay: MediaDuration) { self.delay = delay }
}

/// A client's channel to the server.
final class Wire {
    let link: Link
    var channel: RoomChannelID?
    var isOpenAtClient = true
    var isOpenAtServer = false
    /// Messages to the client that have not arrived.
    var inFlight = 0
    fileprivate var lastUp = MediaTime.zero
    fileprivate var lastDown = MediaTime.zero

    init(_ link: Link) { self.link = link }
}

extension Timeline {
    /// Something arrives over a wire after all that was sent before in this direction.
    mutating func deliver(
        on wire: Wire, up: Bool, at now: MediaTime, in world: RoomWorld, _ action: @escaping () -> Void
    ) {
        var time = now + wire.link.delay
        if up {
            time = max(time, wire.lastUp)
            wire.lastUp = time
        } else {
            time = max(time, wire.lastDown + wire.link.readingTime)
            wire.lastDown = time
        }
        add(at: time) { [unowned world] in world.arrive(over: wire.link, action) }
    }
}

public import RillCore

/// A client's channel, such as a WebSocket: a number of ``Rooms/open(from:at:)``.
public struct RoomChannelID: Hashable, Sendable {
    let number: Int
}

/// Somebody's stay in a room: one for as long as it is not out.
public struct RoomMember: Hashable, Sendable {
    /// The room's name.
    public let room: String
    /// The number in the room.
    public let uid: UID
    /// The number of the session: no other stay on this server has it, of the same participant neither.
    public let session: Int
}

/// An offer that waits for its answer: ``Rooms/answer(_:to:at:)`` or ``Rooms/refuse(_:for:at:)-(_,RoomNegotiation,_)``.
public struct RoomNegotiation: Hashable, Sendable {
    /// Whose.
    public let member: RoomMember
    /// Whether the server may have media of the member already: the offer restarts or changes them. Else it is the
    /// first one.
    public let hasMedia: Bool
    let number: Int
}

/// What ``Rooms/poll(at:)`` asks for.
public enum RoomsAction: Equatable, Sendable {
    /// Send a message on these channels.
    case send(RoomMessage, to: [RoomChannelID])
    /// Close a channel once what was sent on it is out, at the latest a moment later. It is forgotten already.
    case close(RoomChannelID)
    /// Check whether the token lets its bearer into the room: ``Rooms/grant(_:to:at:)`` or
    /// ``Rooms/refuse(_:for:at:)-(_,RoomChannelID,_)``.
    case checkToken(String?, room: String, of: RoomChannelID)
    /// Answer an offer. The member of a join is in the room once it is answered, not before.
    case negotiate(offer: String, RoomNegotiation)
    /// Change a member's media.
    case media(RoomMediaChange, of: RoomMember)
    /// Have a ``RoomStore`` make these changes, then call ``Rooms/stored(_:for:at:)`` or
    /// ``Rooms/storeFailed(_:for:at:)``. The next ones come after that.
    case store([ChatChange], RoomStoreWork)
    /// Have a ``RoomStore`` read this, then call ``Rooms/read(_:for:at:)`` or ``Rooms/storeFailed(_:for:at:)``. There
    /// may be several at a time.
    case read(ChatRead, RoomStoreWork)
    /// Poll again at this time, or after the next call.
    case wait(until: MediaTime)
}

/// What follows for a member's media.
public enum RoomMediaChange: Equatable, Sendable {
    /// It publishes what the section `mid` sends; without one, the first of that kind.
    case publish(MediaKind, mid: String?, isMuted: Bool)
    /// It publishes it no more.
    case unpublish(MediaKind)
    /// It is muted or goes on.
    case mute(MediaKind, isMuted: Bool)
    /// It wants something, which is published.
    case want(Want)
    /// It is out: its media end.
    case end
}

/// Counts of ``Rooms``.
public struct RoomStatistics: Equatable, Sendable {
    /// The rooms now.
    public internal(set) var roomCount = 0
    /// The members of all rooms now.
    public internal(set) var memberCount = 0
    /// Those who are out, and may still come back.
    public internal(set) var awayCount = 0
    /// The channels now.
    public internal(set) var channelCount = 0
    /// Those of them that have not joined.
    public internal(set) var pendingCount = 0
    /// Joins that succeeded.
    public internal(set) var joins = 0
    /// Sessions that came back and read on.
    public internal(set) var resumes = 0
    /// Sessions that came back and got a snapshot.
    public internal(set) var snapshots = 0
    /// Events of all logs.
    public internal(set) var events = 0
    /// Messages of app data that were taken.
    public internal(set) var dataMessages = 0
    /// Chat messages that were stored.
    public internal(set) var chatMessages = 0
    /// Batches of changes that the store was asked for.
    public internal(set) var storeBatches = 0
    /// Batches and reads that failed.
    public internal(set) var storeFailures = 0
    /// Requests that were refused, by their error.
    public internal(set) var refusals: [RoomError.Code: Int] = [:]
    /// Channels and sessions that the server ended, by the reason.
    public internal(set) var endings: [EndReason: Int] = [:]
    /// Entries of all tables now.
    public internal(set) var entryCount = 0
}

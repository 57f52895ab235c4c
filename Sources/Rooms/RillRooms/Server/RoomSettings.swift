public import RillCore

/// Limits and times of ``Rooms``. Each limit has its error (``RoomError``) or its reason to end (``EndReason``), which
/// ``RoomStatistics`` counts.
public struct RoomSettings: Equatable, Sendable {
    // MARK: Tables

    /// The rooms. Of rooms that only those could return to who are out, the one empty for longest goes first. 1000.
    public var roomLimit = 1000
    /// The members of a room. 100.
    public var memberLimit = 100
    /// The sessions of a token, or of all tokens of an identity, in all rooms. 300.
    public var sessionsPerToken = 300
    /// The sessions of an address, in all rooms. 300.
    public var sessionsPerAddress = 300
    /// The channels that have not joined; the oldest goes first. 64.
    public var pendingLimit = 64
    /// The things that a member wants at a time. 64.
    public var wantLimit = 64
    /// The messages of its chat that a member gets when it comes in. 50.
    public var chatCount = 50
    /// The authors of a room who may not write. 1000.
    public var blockLimit = 1000
    /// The changes that wait for the store. 10 000.
    public var storeQueueLimit = 10_000
    /// The events of a log that are kept for those who come back. 1000.
    public var logCountLimit = 1000
    /// For how long they are kept. 60 s.
    public var logAgeLimit = MediaDuration.seconds(60)
    /// What waits for a reader, in bytes; beyond it the channel is closed as `slow`. As much app data is kept for a
    /// member until it has acknowledged it. 256 kB.
    public var backlogByteLimit = 262_144

    // MARK: Sizes, in bytes

    /// The room's name. 128.
    public var roomNameByteLimit = 128
    /// A participant's name, and the key of a chat message. 256.
    public var nameByteLimit = 256
    /// The URL of a picture. 2048.
    public var avatarByteLimit = 2048
    /// The attributes of a participant. 16.
    public var attributeLimit = 16
    /// An attribute's name and value together. 1024.
    public var attributeByteLimit = 1024
    /// A chat message, or a report's text: room for as many characters as it may have, of emoji families too. 16 kB.
    public var chatByteLimit = 16_384
    /// Its characters, such as letters with their marks, or emoji with joiners. 255.
    public var chatTextLimit = 255
    /// A message of app data. 1000.
    public var dataByteLimit = 1000
    /// An offer. 64 kB.
    public var descriptionByteLimit = 65_536
    /// A token. 8192.
    public var tokenByteLimit = 8192
    /// A session's token: it holds the room, the name, the picture and the attributes.
    var sessionByteLimit: Int { 8 * tokenByteLimit }

    // MARK: Rates, a second

    /// Joins and resumes of all rooms. 100.
    public var joinRate = 100
    /// Requests of a channel. 100.
    public var requestRate = 100
    /// Chat messages of a member, with edits, reports and the like. 20.
    public var chatRate = 20
    /// Pages of history and marks of a member. 20.
    public var chatRequestRate = 20
    /// Messages of app data of a member. 60.
    public var dataRate = 60
    /// Their bytes. 30 000.
    public var dataByteRate = 30_000

    // MARK: Times

    /// How long a channel may take to join. 10 s.
    public var joinTimeout = MediaDuration.seconds(10)
    /// How long a member is silent before it is `interrupted`. 4 s.
    public var interruptedAfter = MediaDuration.seconds(4)
    /// How long before it is `lost`. 10 s.
    public var lostAfter = MediaDuration.seconds(10)
    /// How long before it is `offline`. 15 s.
    public var outAfter = MediaDuration.seconds(15)
    /// How long its session can come back, and how long after a start those of the server before. 60 s.
    public var returnsWithin = MediaDuration.seconds(60)

    /// How long an author may edit and delete a message; hosts always may. 15 minutes.
    public var chatEditTime = MediaDuration.seconds(900)
    /// The least time between two batches for the store. 5 ms.
    public var storeInterval = MediaDuration.milliseconds(5)
    /// How long a member waits for a room's chat when it comes in; then the chat follows. 1 s.
    public var storeTimeout = MediaDuration.seconds(1)
    /// After how long a chat that could not be read is tried again. 2 s.
    public var storeRetryInterval = MediaDuration.seconds(2)

    /// The defaults.
    public init() {}
}

/// What a token lets somebody do in a room: the result of the server's check.
public struct RoomGrant: Equatable, Sendable {
    /// Who it is; `nil` for a guest. A newer session of an identity replaces the older one.
    public var identity: String?
    /// The name that is shown, instead of the one that was asked for.
    public var name: String?
    /// The highest role.
    public var role: Role
    /// What it may do, at most; `nil` for all that the role may.
    public var rights: Rights?
    /// When the token ends, in seconds since 1970; `nil` for never.
    public var expires: Int?
    /// When the token was issued, in seconds since 1970; `nil` if it does not say. See ``Rooms/revoke(_:at:)``.
    public var issued: Int?
    /// The token, or its hash: the sessions of one without an identity are counted by it. `nil` for not at all.
    public var token: String?

    /// A grant.
    public init(
        identity: String? = nil, name: String? = nil, role: Role = .speaker, rights: Rights? = nil, expires: Int? = nil,
        issued: Int? = nil
    ) {
        (self.identity, self.name, self.role) = (identity, name, role)
        (self.rights, self.expires, self.issued) = (rights, expires, issued)
    }
}

#if Server
/// What a ``RoomDatabase`` keeps.
public struct RoomDatabaseSettings: Equatable, Sendable {
    /// How long messages are kept, in milliseconds; a year by default.
    public var messageAge = 365 * Self.day
    /// How many of a room's last messages are kept.
    public var messageLimit = 100_000
    /// How many reports of a room are kept, the latest, and the marks of how many members.
    public var entryLimit = 10_000
    /// How long the id of a message that is gone is known, in milliseconds: a sender that tries again after so long
    /// has given up.
    public var idAge = 7 * Self.day
    /// The largest database, in bytes, without its log; `nil` for as much as the disk holds.
    public var byteLimit: Int?

    /// Settings.
    public init() {}

    private static let day = 86_400_000
}
#endif

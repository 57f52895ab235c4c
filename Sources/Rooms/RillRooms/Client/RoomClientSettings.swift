public import RillCore

/// What a client wants, and its times.
public struct RoomClientSettings: Equatable, Sendable {
    /// The room, the token, the name and so on. Its `offer` is not used.
    public var join: JoinRequest
    /// Whether it has media: then offers are requested before it comes in, and when the server has none of its media.
    public var hasMedia: Bool
    /// The messages that may wait to be sent. 256.
    public var queueLimit = 256
    /// The requests that may wait for an answer. 64.
    public var requestLimit = 64
    /// The chat messages that are kept; the oldest go first. 10 000.
    public var messageLimit = 10_000
    /// The characters of a chat message. 255.
    public var chatTextLimit = 255
    /// How often it reports that it is there. 1 s.
    public var aliveInterval = MediaDuration.seconds(1)
    /// After how much silence of the server it opens another channel, and is `interrupted`. 4 s.
    public var interruptedAfter = MediaDuration.seconds(4)
    /// After how much it is `lost`. 10 s.
    public var lostAfter = MediaDuration.seconds(10)

    /// Settings.
    public init(_ join: JoinRequest, hasMedia: Bool = false) { (self.join, self.hasMedia) = (join, hasMedia) }
}

/// When a channel is opened again, and how long it may take.
///
/// A client that was in a room tries at once, then after up to 0.25, 0.5 and 1 s; one that never was, after up to 2 s.
/// The times scatter between their half and the whole, so that not all clients of a server that restarts come at once.
struct ReturnSchedule {
    private(set) var failureCount = 0
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// How long an attempt may take: 2 s at first, then longer for slow paths, up to 8 s.
    var timeout: MediaDuration { .seconds(min(2 + failureCount, 8)) }

    /// Counts a failure.
    ///
    /// - Parameters:
    ///   - wasIn: whether the client was in the room.
    ///   - asked: the least time, if the server named one.
    /// - Returns: how long to wait.
    mutating func fail(wasIn: Bool, asked: MediaDuration = .zero) -> MediaDuration {
        let doublings = min(failureCount, 4)
        failureCount = min(failureCount + 1, 1_000)
        let longest = MediaDuration.milliseconds(wasIn ? 1_000 : 2_000)
        let whole = min(.milliseconds(250) * (1 << doublings), longest)
        let scattered = MediaDuration(
            nanoseconds: Int64(Double(whole.nanoseconds) * (1 + generator.unitInterval()) / 2))
        return max(scattered, asked)
    }

    mutating func succeed() { failureCount = 0 }
}

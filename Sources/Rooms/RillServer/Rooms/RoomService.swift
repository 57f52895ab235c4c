#if Server
public import Logging
import NIOCore
import RillForward
public import RillRooms
import RillWHIP

/// Rooms on a server: people join them by WebSocket at `/rooms`, or by plain requests, and their media go through the
/// host's forwarder.
///
/// ```swift
/// let host = try ForwarderHost(logger: logger) { handle in try LiveForwarder(handle: handle) }
/// let rooms = RoomService(host: host, tokens: tokens, logger: logger)
/// let server = try WHIPServer(host: host, settings: settings, tokens: tokens, rooms: rooms, logger: logger)
/// ```
public struct RoomService: Sendable {
    let server: RoomServer
    /// The chats and images on the disk; `nil` if they are in memory only.
    let storage: RoomStorage?
    private let logger: Logger
    private let events: AsyncStream<ForwardEvent>

    /// The events of media that wait for the rooms at most.
    private static let eventLimit = 1 << 16

    /// Rooms without members.
    ///
    /// - Parameters:
    ///   - host: forwards their media.
    ///   - tokens: check who may come in; `nil` if no tokens are needed: then everybody may do everything. With them,
    ///     or with storage, sessions survive a restart of the server.
    ///   - settings: limits and times.
    ///   - storage: where chats and images are kept; `nil` for no images, and chats until the server ends.
    ///   - logger: where it logs to.
    public init(
        host: ForwarderHost, tokens: SignedTokens?, settings: RoomSettings = RoomService.defaults,
        storage: RoomStorage? = nil, logger: Logger
    ) {
        (self.storage, self.logger) = (storage, logger)
        server = RoomServer(
            forwarder: host.forwarder, tokens: tokens, store: storage?.database ?? MemoryRoomStore(),
            settings: settings, secret: tokens?.secret ?? storage?.sessionSecret, logger: logger)
        let (events, continuation) = AsyncStream.makeStream(
            of: ForwardEvent.self, bufferingPolicy: .bufferingOldest(Self.eventLimit))
        self.events = events
        host.observe { continuation.yield($0) }
    }

    /// Settings whose offers may be as large as those of a browser with 21 sections.
    public static var defaults: RoomSettings {
        var settings = RoomSettings()
        settings.descriptionByteLimit = RoomServer.maximumMessageByteCount / 2
        return settings
    }

    /// Passes the events of media on, and removes what need not be kept, until the task is canceled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            if let storage { group.addTask { [logger] in await storage.run(logger) } }
            for await event in events { await server.take(event) }
            group.cancelAll()
        }
    }

    /// Stores what is left to store, and closes what is on the disk: after the last request.
    func close() async {
        await server.finishStoring()
        await storage?.close(logger)
    }
}
#endif

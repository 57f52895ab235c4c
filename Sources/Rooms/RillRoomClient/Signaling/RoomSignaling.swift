public import RillRooms

/// What carries the messages between a ``Room`` and its server.
///
/// With the trait `Rooms`, `RoomWebSockets` is one. An app that has a channel of its own writes another:
///
/// ```swift
/// struct OwnSignaling: RoomSignaling {
///     func open(_ handle: @escaping @Sendable (RoomSignal) -> Void) -> RoomChannel {
///         let connection = connect(received: { handle(.message($0)) }, closed: { handle(.closed(reason: $0)) })
///         handle(.opened)
///         return RoomChannel(send: { connection.send($0) }, close: { connection.close() })
///     }
/// }
/// ```
///
/// ``/RillRooms/RoomRequest`` and ``/RillRooms/RoomMessage`` are `Codable`: their JSON is what `rill serve` speaks.
public protocol RoomSignaling: Sendable {
    /// Opens a channel. A room has one at a time, and opens another when it is closed.
    ///
    /// - Parameter handle: is to be called with what happens, by any thread, also before this method has returned: in
    ///   the order in which it happens, and with ``RoomSignal/closed(reason:)`` once, at the end.
    /// - Returns: the channel.
    func open(_ handle: @escaping @Sendable (RoomSignal) -> Void) -> RoomChannel
}

/// What happens to a channel.
public enum RoomSignal: Sendable {
    /// It is open.
    case opened
    /// A message came.
    case message(RoomMessage)
    /// The server sent what is not a message of a room, for that reason.
    case unreadable(String)
    /// It is closed, or could not be opened, for that reason if there is one.
    case closed(reason: String?)
}

/// One channel between a room and its server.
public struct RoomChannel: Sendable {
    private let sender: @Sendable (RoomRequest) -> Void
    private let closer: @Sendable () -> Void

    /// A channel.
    ///
    /// - Parameters:
    ///   - send: sends a request, in the order of the calls, without waiting; drops it if the channel is not open.
    ///   - close: closes the channel once what was sent is out, or gives up opening it, without waiting.
    public init(send: @escaping @Sendable (RoomRequest) -> Void, close: @escaping @Sendable () -> Void) {
        (sender, closer) = (send, close)
    }

    /// Sends a request.
    package func send(_ request: RoomRequest) { sender(request) }
    /// Closes the channel.
    package func close() { closer() }
}

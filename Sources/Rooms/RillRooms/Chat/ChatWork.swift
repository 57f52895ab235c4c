/// Something that the store is to do, for which results are due: ``Rooms/stored(_:for:at:)``, ``Rooms/read(_:for:at:)``
/// or ``Rooms/storeFailed(_:for:at:)``.
public struct RoomStoreWork: Hashable, Sendable {
    let number: Int
}

/// What is to be read of a room's chat.
public enum ChatRead: Equatable, Sendable {
    /// Its record, then its last messages, at most so many.
    case start(room: String, limit: Int)
    /// Messages.
    case messages(room: String, ChatPage)
    /// The reports, at most so many.
    case reports(room: String, limit: Int)
}

/// What was read.
public enum ChatReadResult: Equatable, Sendable {
    /// The answer to ``ChatRead/start(room:limit:)``.
    case start(ChatRecord, [ChatMessage])
    /// The answer to ``ChatRead/messages(room:_:)``.
    case messages([ChatMessage])
    /// The answer to ``ChatRead/reports(room:limit:)``.
    case reports([ReportedMessage])
}

extension RoomStore {
    /// Reads what rooms ask for.
    ///
    /// - Throws: what the store throws.
    public func perform(_ read: ChatRead) async throws(RoomStoreError) -> ChatReadResult {
        switch read {
        case .start(let room, let limit):
            let record = try await record(of: room)
            return .start(record, try await messages(in: room, ChatPage(.before(nil), limit: limit)))
        case .messages(let room, let page): return .messages(try await messages(in: room, page))
        case .reports(let room, let limit): return .reports(try await reports(in: room, limit: limit))
        }
    }
}

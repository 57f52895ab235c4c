#if Server
import GRDB
import RillCore
public import RillRooms

/// The chats of rooms in a SQLite database, on stable storage once a write returns.
///
/// ```swift
/// let database = try RoomDatabase(path: "data/rooms.sqlite")
/// let results = try await database.write([ChatChange(.write(message), in: "lobby", time: now)])
/// try await database.close()
/// ```
///
/// It has a write-ahead log and commits with `synchronous` FULL. Calls may come from any thread. Writes happen one
/// after the other on a queue of GRDB's, reads beside them on others: no thread of Swift's pool waits for a disk. Other
/// programs may read the file while it is open.
public final class RoomDatabase: RoomStore {
    /// What is kept, and for how long.
    public let settings: RoomDatabaseSettings
    private let pool: DatabasePool
    /// Whether it is closed, or about to be.
    private let isClosed = Monitor(false)
    /// The rooms that the last transaction knew, and of which state of the file. The writer alone uses them.
    private let rooms = Monitor<(version: Int, rooms: [[UInt8]: ChatWriter.Room])>((0, [:]))

    /// The most changes of a write.
    static let batchLimit = 1000
    /// The most rooms that are kept between transactions.
    private static let roomLimit = 4096

    /// Opens a database, and creates or migrates it as needed. Blocks meanwhile.
    ///
    /// - Parameters:
    ///   - path: the file; its folder must be there.
    ///   - settings: what is kept.
    /// - Throws: `storeNewer`, `storeDamaged`, `storeReadOnly`, `storeFull`, or `storeUnusable`.
    public init(path: String, settings: RoomDatabaseSettings = RoomDatabaseSettings()) throws(ServerError) {
        self.settings = settings
        do {
            let pool = try DatabasePool(path: path, configuration: Self.configuration)
            try pool.writeWithoutTransaction { db in try Self.prepareWriter(db, settings) }
            try RoomSchema.migrate(pool)
            self.pool = pool
        } catch {
            throw ServerError(opening: path, error)
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "rill-store"
        configuration.maximumReaderCount = 4
        // Another program may hold a lock for a moment.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            // In KiB: pages that a connection keeps.
            try db.execute(sql: "PRAGMA cache_size = -8192")
        }
        return configuration
    }

    /// GRDB sets `synchronous` to NORMAL when it opens a pool, so it is set afterwards, and read back.
    private static func prepareWriter(_ db: Database, _ settings: RoomDatabaseSettings) throws {
        try db.execute(sql: "PRAGMA synchronous = FULL")
        guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
            throw DatabaseError(message: "synchronous cannot be set to FULL")
        }
        // A log that a long read has made large is cut down to this once it can be.
        try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
        guard let limit = settings.byteLimit else { return }
        let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
        try db.execute(sql: "PRAGMA max_page_count = \(max(limit / pageSize, 1))")
    }

    /// Moves all of the log into the main file, and closes. A copy of the main file alone is then whole.
    ///
    /// - Throws: `failed` if another program reads: then the log stays beside the file, and the next start reads it.
    public func close() async throws(RoomStoreError) {
        let wasClosed = isClosed.change { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed else { throw .failed(Self.closed) }
        // The barrier waits for writes and reads that are on their way.
        let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
            pool.asyncBarrierWriteWithoutTransaction { db in
                continuation.resume(returning: Result { _ = try db.get().checkpoint(.truncate) })
            }
        }
        do {
            try pool.close()
            try result.get()
        } catch {
            throw RoomStoreError(error)
        }
    }

    private static let closed = "the database is closed"

    // MARK: The store

    /// Makes changes in one transaction.
    public func write(_ changes: [ChatChange]) async throws(RoomStoreError) -> [ChatResult] {
        precondition(changes.count <= Self.batchLimit, "\(changes.count) changes, at most \(Self.batchLimit)")
        return try await onWriter { [rooms] db in
            // After a transaction that failed they are read again.
            let (former, known) = rooms.change { rooms in
                defer { rooms = (0, [:]) }
                return rooms
            }
            var version = 0
            var writer = ChatWriter(db, rooms: known)
            let results = try Self.transaction(db) { db in
                // It changes when somebody else writes.
                version = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
                if version != former { writer = ChatWriter(db, rooms: [:]) }
                return try changes.map { change in try writer.apply(change) }
            }
            if writer.rooms.count <= Self.roomLimit { rooms.change { $0 = (version, writer.rooms) } }
            return results
        }
    }

    /// What a room has that is not a message.
    public func record(of room: String) async throws(RoomStoreError) -> ChatRecord {
        try await read { db in try ChatReader(db).record(of: room) }
    }

    /// A page of messages.
    public func messages(in room: String, _ page: ChatPage) async throws(RoomStoreError) -> [ChatMessage] {
        try await read { db in try ChatReader(db).messages(in: room, page) }
    }

    /// The latest reports of a room.
    public func reports(in room: String, limit: Int) async throws(RoomStoreError) -> [ReportedMessage] {
        try await read { db in try ChatReader(db).reports(in: room, limit: limit) }
    }

    // MARK: Retention

    /// Removes what is too old or too much, a few rows at a time: writes come in between.
    ///
    /// - Parameter time: the current time, in milliseconds since 1970.
    /// - Returns: how many messages and ids were removed.
    @discardableResult public func removeExpired(at time: Int) async throws(RoomStoreError) -> Int {
        var retention = ChatRetention(settings, time: time)
        var count = 0
        while !retention.isDone {
            let previous = retention
            let (next, removed) = try await change { db in
                var retention = previous
                let removed = try retention.step(db)
                return (retention, removed)
            }
            retention = next
            count += removed
        }
        return count
    }

    // MARK: GRDB's queues

    /// A transaction of the writer.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(RoomStoreError) -> Value {
        try await onWriter { db in try Self.transaction(db, body) }
    }

    /// Does something on the writer's queue. Neither waits for nor is ended by the calling task.
    private func onWriter<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(RoomStoreError) -> Value {
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            // What is queued before it is closed comes before that.
            isClosed.withLock { isClosed in
                guard !isClosed else {
                    return continuation.resume(returning: .failure(RoomStoreError.failed(Self.closed)))
                }
                pool.asyncWriteWithoutTransaction { db in
                    continuation.resume(returning: Result { try body(db) })
                }
            }
        }
        do { return try result.get() } catch { throw RoomStoreError(error) }
    }

    private static func transaction<Value>(_ db: Database, _ body: (Database) throws -> Value) throws -> Value {
        var value: Value?
        try db.inTransaction(.immediate) {
            value = try body(db)
            return .commit
        }
        // The transaction's body has set it.
        return value!
    }

    /// A read of one state of the database.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(RoomStoreError) -> Value {
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            pool.asyncRead { db in continuation.resume(returning: Result { try body(try db.get()) }) }
        }
        do { return try result.get() } catch { throw RoomStoreError(error) }
    }
}

extension RoomStoreError {
    /// What an error of GRDB means for a room.
    init(_ error: any Error) {
        switch error {
        case let error as RoomStoreError: self = error
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL: self = .full
        // The index of the log has no place.
        case let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: self = .full
        case let error as StoredFile.Failure: self = error.isFull ? .full : .failed(error.text)
        default: self = .failed("\(error)")
        }
    }
}

extension ServerError {
    /// Why a database cannot be opened.
    init(opening path: String, _ error: any Error) {
        if let error = error as? ServerError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self = .storeUnusable(path: path, reason: "\(error)")
            return
        }
        self =
            switch error.resultCode {
            case .SQLITE_FULL: .storeFull(path: path)
            case .SQLITE_READONLY: .storeReadOnly(path: path)
            case .SQLITE_NOTADB, .SQLITE_CORRUPT: .storeDamaged(path: path, reason: error.message ?? "")
            default: .storeUnusable(path: path, reason: error.message ?? "\(error)")
            }
    }
}
#endif

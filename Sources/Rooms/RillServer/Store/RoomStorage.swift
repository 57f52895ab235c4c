#if Server
import FoundationEssentials
import Glibc
import Logging
import RillRooms

/// What a server keeps of rooms, in a folder: the database `rooms.sqlite`, and images.
///
/// One server uses a folder at a time. A copy of `rooms.sqlite` and `images` of a server that has ended is a backup; of
/// one that runs, `sqlite3 rooms.sqlite '.backup FILE'` makes one of the database.
public final class RoomStorage: Sendable {
    /// The chats.
    public let database: RoomDatabase
    /// Their images.
    public let images: ImageStore
    /// What session tokens are sealed with where the server has no secret: guests stay the same over its restart.
    let sessionSecret: [UInt8]
    private let lock: Int32

    /// Opens what is in a folder, and makes what is not. Blocks meanwhile.
    ///
    /// - Throws: `storeInUse` if another server uses it, or what ``RoomDatabase`` throws.
    public init(
        folder: String, settings: RoomDatabaseSettings = RoomDatabaseSettings(), limits: ImageLimits = ImageLimits()
    ) throws(ServerError) {
        do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
            throw .storeUnusable(path: folder, reason: "\(error)")
        }
        lock = try Self.lock("\(folder)/lock")
        do throws(ServerError) {
            sessionSecret = try Self.secret(in: folder)
            database = try RoomDatabase(path: "\(folder)/rooms.sqlite", settings: settings)
            images = try ImageStore(folder: "\(folder)/images", database: database, limits: limits)
        } catch {
            Glibc.close(lock)
            throw error
        }
    }

    deinit { Glibc.close(lock) }

    /// A file that is locked for as long as it is open; the system opens it when the process ends, however it ends.
    private static func lock(_ path: String) throws(ServerError) -> Int32 {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw errno == EROFS || errno == EACCES
                ? .storeReadOnly(path: path) : .storeUnusable(path: path, reason: StoredFile.Failure(path).text)
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(file)
            throw .storeInUse(path: path)
        }
        return file
    }

    /// The secret of a folder, which is made if there is none.
    private static func secret(in folder: String) throws(ServerError) -> [UInt8] {
        let path = "\(folder)/session-secret"
        if let bytes = StoredFile.read(path, limit: 1024), bytes.count >= 32 { return bytes }
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255) }
        do throws(StoredFile.Failure) {
            try StoredFile.write(bytes, to: path + StoredFile.suffix)
            try StoredFile.rename(path + StoredFile.suffix, to: path)
            try StoredFile.synchronize(folder: folder)
        } catch {
            throw error.isFull ? .storeFull(path: path) : .storeUnusable(path: path, reason: error.text)
        }
        return bytes
    }

    /// Removes what need not be kept, messages once a minute and images every ten, until the task is canceled.
    func run(_ logger: Logger) async {
        for minute in 0... {
            guard !Task.isCancelled else { return }
            let time = Int(Date().timeIntervalSince1970 * 1000)
            do {
                try await database.removeExpired(at: time)
                if minute % 10 == 0 { try await images.removeUnused(at: time) }
            } catch {
                logger.error("what has expired cannot be removed", metadata: ["reason": "\(error)"])
            }
            // It ends early only when the task is canceled.
            try? await Task.sleep(for: .seconds(60))
        }
    }

    /// Ends: the main file of the database is whole afterwards.
    func close(_ logger: Logger) async {
        do { try await database.close() } catch {
            logger.error("the database's log stays beside it", metadata: ["reason": "\(error)"])
        }
    }
}
#endif

#if Server
import Crypto
import Dispatch
import FoundationEssentials
import GRDB
public import RillRooms
import RillCore

/// The images of chats: files in a folder beside the database that knows them.
///
/// A file's name is the SHA-256 of its bytes. It is written under another name, put on stable storage and renamed, and
/// the database knows it only then. An image that no message has is removed after an hour.
///
/// Images are checked one after the other on a queue of their own, so that strangers' images take memory once.
public final class ImageStore: Sendable {
    /// What an image may be.
    public let limits: ImageLimits
    private let folder: String
    private let database: RoomDatabase
    private let checks = DispatchQueue(label: "rill-images")
    private let files = DispatchQueue(label: "rill-image-files")
    private let state: Monitor<State>

    private struct State {
        /// Images that are checked, or wait for it.
        var pendingCount = 0
        var counts = Counts()
    }

    /// What became of images that came.
    struct Counts {
        var added = 0
        /// Those that were there before are among the added ones.
        var refused = 0
        /// Refused for want of room: of the disk, the store or the rooms.
        var full = 0
    }

    /// Images that wait for their check, or are checked.
    private static let pendingLimit = 8
    /// How long an image is kept for a message, in milliseconds.
    static let unusedAge = 3_600_000

    /// The images of a database, in a folder, which is made if need be. Blocks meanwhile.
    ///
    /// - Throws: `storeUnusable` if the folder cannot be made.
    public init(folder: String, database: RoomDatabase, limits: ImageLimits = ImageLimits()) throws(ServerError) {
        (self.folder, self.database, self.limits) = (folder, database, limits)
        state = Monitor(State())
        do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
            throw .storeUnusable(path: folder, reason: "\(error)")
        }
    }

    // MARK: Adding

    /// Checks an image of a room, and keeps it. The same bytes are the same image.
    ///
    /// - Parameters:
    ///   - bytes: of the file.
    ///   - room: the room's name.
    ///   - time: the current time, in milliseconds since 1970.
    public func add(_ bytes: [UInt8], to room: String, at time: Int) async throws(ImageRefusal) -> ChatImage {
        do throws(ImageRefusal) {
            let image = try await check(bytes, for: room, at: time)
            state.change { $0.counts.added += 1 }
            return image
        } catch {
            state.change { state in
                state.counts.refused += 1
                switch error {
                case .full, .roomFull, .storeFull: state.counts.full += 1
                default: break
                }
            }
            throw error
        }
    }

    private func check(_ bytes: [UInt8], for room: String, at time: Int) async throws(ImageRefusal) -> ChatImage {
        guard bytes.count <= limits.byteCount else { throw .tooLarge(limit: limits.byteCount) }
        let isTaken = state.change { state in
            guard state.pendingCount < Self.pendingLimit else { return false }
            state.pendingCount += 1
            return true
        }
        guard isTaken else { throw .busy }
        defer { state.change { $0.pendingCount -= 1 } }
        let hash = try await on(checks) { Self.hash(of: bytes) }
        if let image = try await known(hash, bytes.count, in: room, at: time), await hasFiles(hash) { return image }
        let (check, parts) = try await on(checks) { [self] () throws(ImageRefusal) in
            let check = try ImageCheck(bytes, limits)
            return (check, try write(bytes, check, hash))
        }
        let image = ChatImage(
            hash: hash, check.format, width: check.width, height: check.height, byteCount: bytes.count)
        do throws(ImageRefusal) {
            // Nothing removes the files, as some without a row, between their renaming and the row.
            try await change { [self] db in
                try ChatImages(db).add(image, thumbnail: check.thumbnail.count, to: room, limits, at: time)
                try StoredFile.rename(parts[0], to: path(hash))
                try StoredFile.rename(parts[1], to: thumbnailPath(hash))
                try StoredFile.synchronize(folder: folder(of: hash))
            }
        } catch {
            for part in parts { StoredFile.remove(part) }
            throw error
        }
        return image
    }

    /// Whether the files of an image are there, as they are unless somebody removed them.
    private func hasFiles(_ hash: String) async -> Bool {
        let paths = [path(hash), thumbnailPath(hash)]
        return await withCheckedContinuation { continuation in
            files.async { continuation.resume(returning: paths.allSatisfy(StoredFile.exists)) }
        }
    }

    private static func hash(of bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 0x0F, radix: 16)
        }.joined()
    }

    /// An image that is kept already. For another one there is a place, as far as is known.
    private func known(
        _ hash: String, _ byteCount: Int, in room: String, at time: Int
    ) async throws(ImageRefusal) -> ChatImage? {
        try await change { [limits] db in
            let images = ChatImages(db)
            guard let image = try images.image(hash) else {
                try images.check(byteCount, of: hash, in: room, limits)
                return nil
            }
            try images.add(image, thumbnail: nil, to: room, limits, at: time)
            return image
        }
    }

    /// A transaction that may refuse, before it writes.
    private func change<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(ImageRefusal) -> Value {
        let result: Result<Value, ImageRefusal>
        do throws(RoomStoreError) {
            result = try await database.change { db in
                do { return .success(try body(db)) } catch let refusal as ImageRefusal { return .failure(refusal) }
            }
        } catch {
            throw ImageRefusal(error)
        }
        return try result.get()
    }

    /// What became of images since the start.
    var counts: Counts { state.withLock { $0.counts } }

    /// How many images there are, and the bytes of their files.
    func totals() async throws(RoomStoreError) -> (count: Int, byteCount: Int) {
        try await database.read { db in try ChatImages(db).totals() }
    }

    /// Writes the files under other names, and returns those.
    private func write(_ bytes: [UInt8], _ check: ImageCheck, _ hash: String) throws(ImageRefusal) -> [String] {
        // The same image may come twice at a time.
        let number = UInt64.random(in: 0 ... .max)
        let parts = [path(hash), thumbnailPath(hash)].map { "\($0).\(number)\(StoredFile.suffix)" }
        do throws(StoredFile.Failure) {
            if try StoredFile.makeFolder(folder(of: hash)) { try StoredFile.synchronize(folder: folder) }
            try StoredFile.write(bytes, to: parts[0])
            try StoredFile.write(check.thumbnail, to: parts[1])
        } catch {
            for part in parts { StoredFile.remove(part) }
            throw error.isFull ? .full : .failed(error.text)
        }
        return parts
    }

    private func folder(of hash: String) -> String { "\(folder)/\(hash.prefix(2))" }
    private func path(_ hash: String) -> String { "\(folder(of: hash))/\(hash)" }
    private func thumbnailPath(_ hash: String) -> String { "\(path(hash)).thumbnail" }

    // MARK: Reading

    /// The bytes of an image, or of its thumbnail, and their media type; `nil` if there is none that a message of that
    /// room has.
    ///
    /// - Throws: ``RoomStoreError`` if the database cannot be read.
    func file(
        _ hash: String, thumbnail: Bool, in room: String
    ) async throws(RoomStoreError) -> (bytes: [UInt8], mediaType: String)? {
        guard Self.isHash(hash) else { return nil }
        let image = try await database.read { db in
            let images = ChatImages(db)
            return try images.isUsed(hash, in: room) ? try images.image(hash) : nil
        }
        guard let image else { return nil }
        let path = thumbnail ? thumbnailPath(hash) : path(hash)
        let limit = limits.byteCount
        // It may have been removed since.
        guard let bytes = await read(path, limit) else { return nil }
        let format = thumbnail ? ChatImage.Format(of: bytes) ?? .png : image.format
        return (bytes, format.mediaType)
    }

    private func read(_ path: String, _ limit: Int) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            files.async { continuation.resume(returning: StoredFile.read(path, limit: limit)) }
        }
    }

    /// Whether a text is a hash as the store writes it.
    static func isHash(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) }
    }

    // MARK: Removing

    /// Removes images that no message has, and files that no image has.
    ///
    /// - Parameter time: the current time, in milliseconds since 1970.
    /// - Returns: how many files were removed.
    @discardableResult public func removeUnused(at time: Int) async throws(RoomStoreError) -> Int {
        var position: ChatImages.Position? = .room(0, "")
        while let start = position {
            position = try await database.change { db in
                try ChatImages(db).removeUnused(since: time - Self.unusedAge, after: start, limit: 200)
            }
        }
        var count = 0
        for prefix in 0..<256 {
            let folder = folder(of: String(prefix >> 4, radix: 16) + String(prefix & 0x0F, radix: 16))
            let names = await withCheckedContinuation { continuation in
                files.async { continuation.resume(returning: StoredFile.names(in: folder)) }
            }
            guard !names.isEmpty else { continue }
            count += try await database.change { db in
                let images = ChatImages(db)
                var count = 0
                for name in names {
                    let hash = String(name.prefix(64))
                    // A file that is still written has a name that a row is made for later.
                    if name.hasSuffix(StoredFile.suffix) {
                        guard StoredFile.age("\(folder)/\(name)", at: time) > Self.unusedAge else { continue }
                    } else if try images.image(hash) != nil {
                        continue
                    }
                    StoredFile.remove("\(folder)/\(name)")
                    count += 1
                }
                return count
            }
        }
        return count
    }

    // MARK: Queues

    private func on<Value: Sendable>(
        _ queue: DispatchQueue, _ body: @escaping @Sendable () throws(ImageRefusal) -> Value
    ) async throws(ImageRefusal) -> Value {
        let result: Result<Value, ImageRefusal> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(ImageRefusal) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}

extension ImageRefusal {
    fileprivate init(_ error: RoomStoreError) {
        switch error {
        case .full: self = .full
        case .failed(let reason): self = .failed(reason)
        }
    }
}
#endif

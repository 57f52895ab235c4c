#if Server
import Foundation
import RillRooms
import RillTestSupport
import Testing

@testable import RillServer

@Suite struct ImageStoreTests {
    let folder = TemporaryFolder()
    private static let time = 1_700_000_000_000

    private func open() throws -> (RoomDatabase, ImageStore) {
        let database = try RoomDatabase(path: folder.path("rooms.sqlite"))
        return (database, try ImageStore(folder: folder.path("images"), database: database))
    }

    private func write(_ image: ChatImage, _ key: String, to database: RoomDatabase) async throws -> ChatResult? {
        let message = ChatMessage(author: "anna", uid: 1, name: "Anna", key: key, .init(text: "", image: image))
        return try await database.write([ChatChange(.write(message), in: "lobby", time: Self.time)]).first
    }

    /// The names of all files of images.
    private func files() throws -> Set<String> {
        let found = try FileManager.default.subpathsOfDirectory(atPath: folder.path("images"))
        return Set(found.filter { $0.contains("/") }.map { String($0.dropFirst(3)) })
    }

    @Test func `An image is a file by its hash, with its thumbnail, and the same bytes are the same image`()
        async throws
    {
        let (database, images) = try open()
        let bytes = ImageSample.webpAnimated.bytes
        let image = try await images.add(bytes, to: "lobby", at: Self.time)
        #expect(ImageStore.isHash(image.hash) && image.format == .webp && image.byteCount == bytes.count)
        #expect(try files() == [image.hash, "\(image.hash).thumbnail"])
        #expect(try read(folder.path("images/\(image.hash.prefix(2))/\(image.hash)")) == bytes)
        // Several at a time, too.
        try await withThrowingTaskGroup(of: ChatImage.self) { group in
            for _ in 0..<4 { group.addTask { try await images.add(bytes, to: "lobby", at: Self.time) } }
            for try await other in group { #expect(other == image) }
        }
        #expect(try files().count == 2)
        #expect(try await write(image, "1", to: database) == .stored(1))
        #expect(try await images.file(image.hash, thumbnail: false, in: "lobby")?.bytes == bytes)
        #expect(try await images.file(image.hash, thumbnail: true, in: "lobby")?.mediaType == "image/jpeg")
        #expect(try await images.file(image.hash, thumbnail: false, in: "other") == nil)
        try await database.close()
    }

    @Test func `Images that no message has go after an hour, with files that no image has`() async throws {
        let (database, images) = try open()
        var added: [ChatImage] = []
        for sample in ImageSample.allCases {
            added.append(try await images.add(sample.bytes, to: "lobby", at: Self.time))
        }
        let (kept, deleted, wanted) = (added[0], added[1], added[2])
        #expect(try await write(kept, "kept", to: database) == .stored(1))
        #expect(try await write(deleted, "deleted", to: database) == .stored(2))
        let whole = try files()
        #expect(try await images.removeUnused(at: Self.time + ImageStore.unusedAge) == 0)
        #expect(try files() == whole)
        // One is added again, one of a message that is deleted is nobody's any more; a file came from nowhere.
        let later = Self.time + ImageStore.unusedAge + 1
        _ = try await images.add(ImageSample.allCases[2].bytes, to: "lobby", at: later)
        _ = try await database.write([ChatChange(.delete(2, by: nil, since: 0), in: "lobby", time: later)])
        let (stray, half) = (String(repeating: "0", count: 64), "\(kept.hash).1.part")
        try FileManager.default.createDirectory(atPath: folder.path("images/00"), withIntermediateDirectories: true)
        try RillTestSupport.write([1], to: folder.path("images/00/\(stray)"))
        try RillTestSupport.write([1], to: folder.path("images/\(kept.hash.prefix(2))/\(half)"))
        _ = try await images.removeUnused(at: later)
        #expect(
            try files().subtracting([half])
                == [kept.hash, "\(kept.hash).thumbnail", wanted.hash, "\(wanted.hash).thumbnail"])
        // What is half written is old by the clock of the files, which is today's.
        #expect(try files().contains(half))
        _ = try await images.removeUnused(at: Int(Date().timeIntervalSince1970 * 1000) + ImageStore.unusedAge + 1000)
        #expect(try !files().contains(half))
        // One that is gone is none of a new message.
        #expect(try await write(deleted, "again", to: database) == .notFound)
        try await database.close()
    }

    @Test func `More images than can wait are told to come again`() async throws {
        let (database, images) = try open()
        let outcomes = await withTaskGroup(of: ImageRefusal?.self) { group in
            for index in 0..<40 {
                group.addTask {
                    do throws(ImageRefusal) {
                        // Each is another one: bytes behind the end count for the hash.
                        let bytes = ImageSample.png.bytes + [UInt8(index)]
                        _ = try await images.add(bytes, to: "lobby", at: Self.time)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0 == nil || $0 == .busy })
        #expect(outcomes.count { $0 == nil } >= 8)
        #expect(try await images.add(ImageSample.gif.bytes, to: "lobby", at: Self.time).width == 24)
        try await database.close()
    }

    @Test func `A file that is lost is an image that is not there, until it is added again`() async throws {
        let (database, images) = try open()
        let image = try await images.add(ImageSample.png.bytes, to: "lobby", at: Self.time)
        #expect(try await write(image, "1", to: database) == .stored(1))
        try FileManager.default.removeItem(atPath: folder.path("images/\(image.hash.prefix(2))/\(image.hash)"))
        #expect(try await images.file(image.hash, thumbnail: false, in: "lobby") == nil)
        #expect(try await images.add(ImageSample.png.bytes, to: "lobby", at: Self.time) == image)
        #expect(try await images.file(image.hash, thumbnail: false, in: "lobby")?.bytes == ImageSample.png.bytes)
        try await database.close()
    }
}
#endif

#if Server
import Foundation
import GRDB
import RillRooms
import RillTestSupport
import Testing

@testable import RillServer

@Suite struct ImageLimitTests {
    let folder = TemporaryFolder()
    private static let time = 1_700_000_000_000

    private func open(
        _ change: (inout ImageLimits) -> Void = { _ in }
    ) throws -> (RoomDatabase, ImageStore) {
        var limits = ImageLimits()
        change(&limits)
        let database = try RoomDatabase(path: folder.path("rooms.sqlite"))
        return (database, try ImageStore(folder: folder.path("images"), database: database, limits: limits))
    }

    private func refusal(_ images: ImageStore, _ bytes: [UInt8], _ room: String, at time: Int) async -> ImageRefusal? {
        do throws(ImageRefusal) {
            _ = try await images.add(bytes, to: room, at: time)
            return nil
        } catch {
            return error
        }
    }

    /// The bytes of all files.
    private func byteCount() throws -> Int {
        let root = folder.path("images")
        return try FileManager.default.subpathsOfDirectory(atPath: root).reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(root)/\(name)")
            let isFile = attributes[.type] as? FileAttributeType == .typeRegular
            return sum + (isFile ? attributes[.size] as? Int ?? 0 : 0)
        }
    }

    @Test func `A room's images, and all images, take so many bytes, and no more`() async throws {
        let (database, images) = try open { ($0.roomByteCount, $0.totalByteCount) = (9_000, 14_000) }
        let time = Self.time
        // Bytes behind the end make other images of the same picture.
        let samples = (0..<40).map { ImageSample.jpeg.bytes + [UInt8($0)] }
        var taken = [String: [[UInt8]]]()
        for room in ["a", "b", "c"] {
            for bytes in samples.dropFirst(12 * taken.count) {
                guard let refusal = await refusal(images, bytes, room, at: time) else {
                    taken[room, default: []].append(bytes)
                    continue
                }
                #expect(refusal == (room == "a" ? .roomFull(limit: 9_000) : .storeFull(limit: 14_000)))
                break
            }
        }
        let counts = ["a", "b", "c"].map { taken[$0]?.count ?? 0 }
        #expect(counts[0] > 2 && counts[1] > 1 && counts[1] < counts[0] && counts[2] == 0, "\(counts)")
        // Nothing of those that were refused stays, and what stays is counted.
        let totals = try await images.totals()
        #expect(totals.count == counts[0] + counts[1] && totals.byteCount <= 14_000)
        #expect(try byteCount() == totals.byteCount)
        #expect(images.counts.full == 3 && images.counts.refused == 3 && images.counts.added == totals.count)
        // The same bytes take nothing more in their room; in a room with a place they count there, too.
        let (first, own) = (try #require(taken["a"]?.first), try #require(taken["b"]?.first))
        #expect(await refusal(images, first, "a", at: time) == nil)
        #expect(await refusal(images, first, "c", at: time) == nil)
        #expect(await refusal(images, own, "a", at: time) == .roomFull(limit: 9_000))
        #expect(try await images.totals().byteCount == totals.byteCount)
        // What no message has goes after an hour, and makes room.
        _ = try await images.removeUnused(at: time + ImageStore.unusedAge + 1)
        #expect(try await images.totals() == (0, 0) && byteCount() == 0)
        for bytes in samples.prefix(counts[0]) {
            #expect(await refusal(images, bytes, "a", at: time + 9_000_000) == nil)
        }
        try await database.close()
    }

    @Test func `What a room's messages have stays, and counts for each room that has it`() async throws {
        let (database, images) = try open { $0.roomByteCount = 5_000 }
        let image = try await images.add(ImageSample.jpeg.bytes, to: "a", at: Self.time)
        func write(_ room: String) async throws -> ChatResult? {
            let message = ChatMessage(author: "anna", uid: 1, name: "Anna", key: "1", .init(text: "", image: image))
            return try await database.write([ChatChange(.write(message), in: room, time: Self.time)]).first
        }
        // It came into b by a message alone.
        for room in ["a", "b"] { #expect(try await write(room) == .stored(1)) }
        let used = { (room: String) in
            try await database.read { db in
                try Int.fetchOne(db, sql: "SELECT images FROM room WHERE name = ?", arguments: [room])
            }
        }
        let size = try await images.totals().byteCount
        let first = try await (used("a"), used("b"))
        #expect(first.0 == size && first.1 == size)
        let later = Self.time + ImageStore.unusedAge + 1
        _ = try await images.removeUnused(at: later)
        _ = try await database.write([ChatChange(.delete(1, by: nil, since: 0), in: "a", time: later)])
        _ = try await images.removeUnused(at: later)
        let second = try await (used("a"), used("b"))
        #expect(second.0 == 0 && second.1 == size)
        #expect(try await images.file(image.hash, thumbnail: false, in: "b") != nil)
        _ = try await database.write([ChatChange(.delete(1, by: nil, since: 0), in: "b", time: later)])
        _ = try await images.removeUnused(at: later)
        #expect(try await images.totals() == (0, 0) && byteCount() == 0)
        try await database.close()
    }

    @Test func `A database without counts gets them`() async throws {
        let image = ChatImage(hash: String(repeating: "a", count: 64), .png, width: 1, height: 1, byteCount: 7_000)
        do {
            let pool = try DatabasePool(path: folder.path("rooms.sqlite"))
            try RoomSchema.migrator.migrate(pool, upTo: "chat 1")
            try await pool.write { db in
                try db.execute(sql: "INSERT INTO room (name, last) VALUES ('a', 2), ('b', 0)")
                try db.execute(
                    sql: """
                        INSERT INTO image (hash, format, width, height, bytes, time) VALUES (?, 'png', 1, 1, 7000, 5)
                        """, arguments: [image.hash])
                for number in 1...2 {
                    try db.execute(
                        sql: """
                            INSERT INTO message (id, room, time, author, uid, name, key, text, image)
                            VALUES (?, 1, 1, 'anna', 1, 'Anna', ?, '', ?)
                            """, arguments: [RoomSchema.id(1, number), "\(number)", image.hash])
                }
            }
            try pool.close()
        }
        let (database, images) = try open { ($0.roomByteCount, $0.totalByteCount) = (7_500, 100_000) }
        #expect(try await images.totals() == (1, 7_000))
        #expect(
            try await database.messages(in: "a", ChatPage(.before(nil), limit: 9)).map(\.content?.image) == [
                image, image,
            ])
        #expect(await refusal(images, ImageSample.jpeg.bytes, "a", at: 6) == .roomFull(limit: 7_500))
        #expect(await refusal(images, ImageSample.jpeg.bytes, "b", at: 6) == nil)
        try await database.close()
    }
}
#endif

import Foundation
import RillRooms
import RillServer

/// How long joins, with the last 50 messages, and pages further back take of a large database that is not in memory.
struct ReadBench {
    let folder: String
    let rooms: Int

    func run(messages count: Int, reads: Int) async throws {
        let path = "\(folder)/rooms.sqlite"
        if !FileManager.default.fileExists(atPath: path) {
            // It makes the tables.
            try await RoomDatabase(path: path).close()
            // Rooms take turns after a few messages, so that their pages alternate in the file.
            var messages = Messages(rooms: rooms, burst: 10)
            let table = BareTable(filling: path, rooms: rooms)
            var left = count
            while left > 0 {
                table.insert((0..<min(100_000, left)).map { _ in messages.next() })
                left -= 100_000
            }
            table.close()
        }
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        print("bytes=\(size)")
        // Rooms by their size, and each as often: the small ones are read from the disk again.
        for (name, isEven) in [("busy", false), ("any", true)] {
            let database = try RoomDatabase(path: path)
            dropCache(path)
            var generator = Seeded(state: 7)
            let zipf = Zipf(rooms)
            var (joins, pages): ([Double], [Double]) = ([], [])
            for _ in 0..<reads {
                let number = isEven ? Int.random(in: 0..<rooms, using: &generator) : zipf.next(&generator)
                let room = "room-\(number)"
                var start = ContinuousClock.now
                _ = try await database.record(of: room)
                var last = try await database.messages(in: room, ChatPage(.before(nil), limit: 50))
                joins.append((ContinuousClock.now - start) / .milliseconds(1))
                for _ in 0..<3 {
                    // From anywhere in its history, too.
                    let end =
                        Bool.random(using: &generator)
                        ? last.first?.number : Int.random(in: 1...count / rooms, using: &generator)
                    start = ContinuousClock.now
                    last = try await database.messages(in: room, ChatPage(.before(end), limit: 50))
                    pages.append((ContinuousClock.now - start) / .milliseconds(1))
                }
            }
            for (kind, times) in [("join", joins.sorted()), ("page", pages.sorted())] {
                print("\(name)_\(kind)_median=\(times[times.count / 2])")
                print("\(name)_\(kind)_p99=\(times[times.count * 99 / 100])")
                print("\(name)_\(kind)_most=\(times[times.count - 1])")
            }
            try await database.close()
        }
    }

    /// Takes a file out of the system's page cache.
    private func dropCache(_ path: String) {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return }
        fsync(file)
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
        close(file)
    }
}

import RillRooms
import RillRoomsSupport
import Testing

@Suite("Stores of chats")
struct RoomStoreTests {
    @Test func `The store in memory does what every store must`() async throws {
        let store = MemoryRoomStore()
        let problems = try await RoomStoreSuite(store) { try await store.add($0) }.run()
        #expect(problems == [])
    }

    private func write(_ tables: inout ChatTables, _ count: Int, at time: Int) throws -> [ChatResult] {
        try tables.write(
            (0..<count).map { index in
                let message = ChatMessage(
                    author: "anna", uid: 1, name: "Anna", key: "\(time) \(index)", .init(text: "text"))
                return ChatChange(.write(message), in: "lobby", time: time)
            })
    }

    @Test func `The oldest messages go by count and by age, and their keys stay for 7 days`() throws {
        var limits = ChatTables.Limits()
        limits.messages = 10
        var tables = ChatTables(limits)
        #expect(try write(&tables, 25, at: 1_000).last == .stored(25))
        let page = ChatPage(.before(nil), limit: 100)
        #expect(tables.messages(in: "lobby", page).map(\.number) == Array(16...25))
        #expect(try write(&tables, 1, at: 1_000) == [.known(1)])
        let day = 86_400_000
        #expect(try write(&tables, 1, at: 1_001 + 30 * day) == [.stored(26)])
        #expect(tables.messages(in: "lobby", page).map(\.number) == [26])
        // The key of the first message went long ago, that of the last one a moment ago.
        let again = { (index: Int) in
            let message = ChatMessage(author: "anna", uid: 1, name: "Anna", key: "1000 \(index)", .init(text: "text"))
            return ChatChange(.write(message), in: "lobby", time: 1_001 + 30 * day)
        }
        #expect(try tables.write([again(0), again(24)]) == [.stored(27), .known(25)])
    }

    @Test func `A store that is full changes nothing, and takes more once there is room`() throws {
        var limits = ChatTables.Limits()
        (limits.bytes, limits.rooms) = (4_000, 2)
        var tables = ChatTables(limits)
        _ = try write(&tables, 10, at: 1_000)
        let before = tables.record(of: "lobby")
        #expect(throws: RoomStoreError.full) { try write(&tables, 30, at: 2_000) }
        #expect(tables.record(of: "lobby") == before)
        #expect(throws: RoomStoreError.full) {
            try tables.write(["b", "c"].map { ChatChange(.setEnabled(false), in: $0, time: 0) })
        }
        #expect(tables.record(of: "b") == ChatRecord())
        _ = try tables.write([ChatChange(.forget, in: "lobby", time: 3_000)])
        #expect(try write(&tables, 10, at: 4_000).first == .stored(11))
    }
}

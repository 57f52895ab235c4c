#if Server
import RillRooms
import RillRoomsSupport
import RillTestSupport
import Testing

@testable import RillServer

@Suite struct StoreSuiteTests {
    let folder = TemporaryFolder()

    @Test func `The database does what every store must`() async throws {
        let database = try RoomDatabase(path: folder.path("rooms.sqlite"))
        let problems = try await RoomStoreSuite(database) { image in
            try await database.change { db in
                try ChatImages(db).add(image, thumbnail: 9, to: "lobby", ImageLimits(), at: 0)
            }
        }.run()
        #expect(problems == [])
        try await database.close()
    }
}
#endif

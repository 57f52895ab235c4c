import RillWHIP
import Testing

/// Requests from several threads at once.
@Suite struct WHIPConcurrencyTests {
    @Test func `Sessions of several threads do not disturb each other`() async throws {
        let client = EndpointClient()
        await withTaskGroup(of: Void.self) { tasks in
            for thread in 0..<4 {
                tasks.addTask {
                    for _ in 0..<500 {
                        guard let publisher = try? client.begin("/whip/\(thread)"),
                            let viewer = try? client.begin("/whep/\(thread)")
                        else {
                            Issue.record("thread \(thread) was refused")
                            return
                        }
                        #expect(client.patch(viewer.path, match: "*", EndpointClient.restart).status == 200)
                        #expect(
                            client.patch(
                                viewer.path, match: viewer.tag.replacing(".1", with: ".2"), EndpointClient.candidates
                            ).status == 204)
                        #expect(client.send("GET", "/streams").status == 200)
                        for path in [viewer.path, publisher.path] {
                            #expect(client.send("DELETE", path).status == 200)
                        }
                    }
                }
            }
        }
        #expect(client.host.sessions.isEmpty && client.endpoint.sessionCount == 0)
    }

    @Test func `Of many that delete one session, one succeeds`() async throws {
        let client = EndpointClient()
        for _ in 0..<200 {
            let session = try client.begin("/whip/a")
            let statuses = await withTaskGroup(of: Int.self) { tasks in
                for _ in 0..<4 { tasks.addTask { client.send("DELETE", session.path).status } }
                return await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 404, 404, 404])
        }
    }
}

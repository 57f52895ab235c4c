import RillCore
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

    // MARK: Restarts of ICE

    @Test func `Of two restarts of ICE at once, one is accepted, and the tag is of the host's credentials`() throws {
        let host = SlowHost()
        let endpoint = WHIPEndpoint(host: host)
        #expect(endpoint.respond(to: SlowHost.offer, access: .unrestricted).status == 201)
        // The second arrives while the host is busy with the first.
        let second = Monitor<WHIPResponse?>(nil)
        host.onRestart {
            let response = endpoint.respond(to: SlowHost.restart("second"), access: .unrestricted)
            second.withLock { $0 = response }
        }
        let first = endpoint.respond(to: SlowHost.restart("first"), access: .unrestricted)
        #expect(first.status == 200 && first.headers["ETag"] == "\"s.2\"")
        #expect(second.withLock { $0?.isProblem(409) } == true)
        #expect(host.restarts == ["first"])
        // The claim is over: those of the first are the present ones, and another restart may follow.
        #expect(endpoint.respond(to: SlowHost.restart("first"), access: .unrestricted).status == 204)
        let third = endpoint.respond(to: SlowHost.restart("third"), access: .unrestricted)
        #expect(third.status == 200 && third.headers["ETag"] == "\"s.3\"")
        #expect(host.restarts == ["first", "third"])
    }

    @Test func `A restart that the host refuses leaves tag and credentials, and lets another follow`() {
        let host = SlowHost()
        let endpoint = WHIPEndpoint(host: host)
        #expect(endpoint.respond(to: SlowHost.offer, access: .unrestricted).status == 201)
        #expect(endpoint.respond(to: SlowHost.restart("refused"), access: .unrestricted).isProblem(400))
        let next = endpoint.respond(to: SlowHost.restart("next"), access: .unrestricted)
        #expect(next.status == 200 && next.headers["ETag"] == "\"s.2\"")
    }

    @Test func `A session that is deleted while ICE restarts is gone`() {
        let host = SlowHost()
        let endpoint = WHIPEndpoint(host: host)
        #expect(endpoint.respond(to: SlowHost.offer, access: .unrestricted).status == 201)
        host.onRestart {
            #expect(
                endpoint.respond(to: WHIPRequest("DELETE", "/session/s"), access: .unrestricted).status == 200)
        }
        #expect(endpoint.respond(to: SlowHost.restart("late"), access: .unrestricted).isProblem(404))
        #expect(endpoint.sessionCount == 0)
    }

    @Test func `Restarts of several threads: as many tags as the host has credentials`() async {
        let host = SlowHost()
        let endpoint = WHIPEndpoint(host: host)
        #expect(endpoint.respond(to: SlowHost.offer, access: .unrestricted).status == 201)
        let tags = await withTaskGroup(of: [String].self) { tasks in
            for thread in 0..<4 {
                tasks.addTask {
                    (0..<500).compactMap {
                        let request = SlowHost.restart("t\(thread)n\($0)")
                        return endpoint.respond(to: request, access: .unrestricted).headers["ETag"]
                    }
                }
            }
            return await tasks.reduce(into: []) { $0 += $1 }
        }
        #expect(tags.count >= 500 && Set(tags).count == tags.count)
        #expect(host.restarts.count == tags.count)
    }
}

/// A host of one session, where something else may happen while it restarts ICE.
private final class SlowHost: StreamHost {
    private struct State: Sendable {
        var restarts: [String] = []
        var next: (@Sendable () -> Void)?
    }

    private let state = Monitor(State())

    static let offer: WHIPRequest = {
        var request = WHIPRequest("POST", "/whip/a", body: EndpointClient.offer)
        request.headers["Content-Type"] = "application/sdp"
        return request
    }()

    static func restart(_ usernameFragment: String) -> WHIPRequest {
        var request = WHIPRequest(
            "PATCH", "/session/s", body: "a=ice-ufrag:\(usernameFragment)\r\na=ice-pwd:0123456789abcdefghijkl\r\n")
        request.headers["Content-Type"] = "application/trickle-ice-sdpfrag"
        request.headers["If-Match"] = "*"
        return request
    }

    /// The other side's ice-ufrag of each restart.
    var restarts: [String] { state.withLock { $0.restarts } }
    var streams: [HostedStream] { [] }

    /// Does something once, within the next restart.
    func onRestart(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.next = body } }

    func restart(_: String, with fragment: SDPFragment) throws(StreamHostError) -> SDPFragment {
        let name = fragment.usernameFragment ?? ""
        guard name != "refused" else { throw .badDescription("no") }
        let next = state.withLock { state in
            state.restarts.append(name)
            defer { state.next = nil }
            return state.next
        }
        next?()
        return fragment
    }

    func publish(
        _: String, offer: String, from: StreamClient, replacing: StreamReplacement
    ) throws(StreamHostError) -> HostedSession { HostedSession(id: "s", answer: MemoryStreamHost.answer) }
    func watch(_: String, offer: String, from: StreamClient) throws(StreamHostError) -> HostedSession {
        throw .unknownStream
    }
    func addCandidates(_: SDPFragment, to: String) throws(StreamHostError) {}
    func select(_: String?, for: String) throws(StreamHostError) {}
    func end(_: String) throws(StreamHostError) {}
    func holds(_: String) -> Bool { true }
}

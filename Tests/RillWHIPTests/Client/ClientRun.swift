import RillCore
import RillTestSupport
import RillWHIP

/// A client in virtual time, whose server is the test.
struct ClientRun {
    var client: WHIPClient
    var now = MediaTime.zero
    /// The events that were polled and not examined yet.
    var events: [WHIPClientEvent] = []
    var requests: [Request] = []
    var hasEnded = false
    var wakeTime = MediaTime.zero

    struct Request: Equatable {
        var request: WHIPRequest
        var id: Int
    }

    init(
        _ purpose: WHIPPurpose = .publish, at url: String = "https://example.org/whip/stage",
        _ settings: WHIPClientSettings = WHIPClientSettings()
    ) throws {
        client = try WHIPClient(purpose, at: url, settings, from: .zero)
    }

    /// Polls until nothing is to be done; gives an offer whenever one is needed.
    mutating func poll(offer: String? = ClientRun.offer) {
        while true {
            switch client.poll(at: now) {
            case .send(let request, let id, _): requests.append(Request(request: request, id: id))
            case .event(.offerNeeded):
                events.append(.offerNeeded)
                if let offer { client.setOffer(offer, at: now) }
            case .event(let event): events.append(event)
            case .wait(until: let time):
                wakeTime = time
                return
            case .ended:
                hasEnded = true
                return
            }
        }
    }

    /// Lets time pass, waking the client whenever it asks for it.
    mutating func pass(_ duration: MediaDuration) {
        let end = now + duration
        while !hasEnded, wakeTime <= end {
            now = max(now, wakeTime)
            poll()
        }
        now = end
        poll()
    }

    /// The only request that was sent and not answered yet.
    mutating func request() throws -> Request {
        guard requests.count == 1 else { throw TestFailure("\(requests.count) requests: \(requests)") }
        return requests.removeFirst()
    }

    /// Answers the only request.
    @discardableResult
    mutating func respond(_ response: WHIPResponse) throws -> WHIPRequest {
        let request = try request()
        client.insert(response, to: request.id, at: now)
        poll()
        return request.request
    }

    /// Fails the only request.
    mutating func refuseConnection() throws {
        client.fail(try request().id, reason: "connection refused", at: now)
        poll()
    }

    mutating func takeEvents() -> [WHIPClientEvent] {
        defer { events = [] }
        return events
    }

    /// A client with a session.
    static func inSession(
        _ purpose: WHIPPurpose = .publish, _ settings: WHIPClientSettings = WHIPClientSettings(),
        answer: WHIPResponse = ClientRun.created()
    ) throws -> ClientRun {
        var run = try ClientRun(purpose, settings)
        run.poll()
        try run.respond(answer)
        run.client.noteConnected(at: run.now)
        run.events = []
        return run
    }

    static func created(
        location: String? = "/session/1", etag: String? = "\"e1\"", type: String = "application/sdp",
        links: [String] = [], body: String = ClientRun.answer
    ) -> WHIPResponse {
        var response = WHIPResponse(201, headers: WHIPHeaders([.init("Content-Type", type)]), body: body)
        response.headers["Location"] = location
        response.headers["ETag"] = etag
        for link in links { response.headers.append("Link", link) }
        return response
    }

    static func problem(_ status: Int, _ detail: String, retryAfter: String? = nil) -> WHIPResponse {
        var response = WHIPResponse(
            status, headers: WHIPHeaders([.init("Content-Type", "application/problem+json")]),
            body: "{\"type\":\"about:blank\",\"status\":\(status),\"detail\":\"\(detail)\"}")
        response.headers["Retry-After"] = retryAfter
        return response
    }

    static let offer = description("ours", "candidate:1 1 udp 2130706431 192.0.2.1 5000 typ host")
    static let answer = description("them", "candidate:1 1 udp 2130706431 192.0.2.9 6000 typ host")

    /// A description of two bundled sections.
    static func description(_ name: String, _ candidate: String) -> String {
        """
        v=0\r
        o=- 1 1 IN IP4 0.0.0.0\r
        s=-\r
        t=0 0\r
        a=group:BUNDLE 0 1\r
        m=video 9 UDP/TLS/RTP/SAVPF 96\r
        c=IN IP4 0.0.0.0\r
        a=mid:0\r
        a=ice-ufrag:\(name)\r
        a=ice-pwd:\(name)-and-eighteen-bytes\r
        a=fingerprint:sha-256 00\r
        a=rtpmap:96 VP8/90000\r
        a=\(candidate)\r
        a=end-of-candidates\r
        m=video 9 UDP/TLS/RTP/SAVPF 96\r
        a=mid:1\r
        a=ice-ufrag:\(name)\r
        a=ice-pwd:\(name)-and-eighteen-bytes\r

        """
    }
}

import RillCore
import RillTestSupport
import RillWHIP
import Testing

/// A publisher whose network goes away, and an endpoint that keeps its old session.
@Suite struct WHIPClientOutageTests {
    /// The failure of requests while the network is away.
    enum Loss: CaseIterable {
        /// The system says at once that there is no route.
        case refused
        /// They are lost, and TCP repeats its SYN after 1 s; the next one would come after the timeout.
        case silent
        /// They are in a connection that is dead, until their time is over.
        case dead
    }

    @Test(arguments: [1, 2, 4, 8, 16, 24, 40], Loss.allCases)
    func `It is published again within 3 s of its network's return`(seconds: Int, loss: Loss) throws {
        let endpoint = WHIPEndpoint(host: MemoryStreamHost())
        // The network may return at any time of an attempt.
        for offset in 0..<20 {
            let outage =
                MediaTime.zero + .seconds(10)..<MediaTime.zero + .seconds(10 + seconds) + .milliseconds(50 * offset)
            let time = try publishAgain(endpoint, after: outage, loss)
            // Connecting takes half a second, the first key frame is there with it.
            #expect(time - outage.upperBound <= .milliseconds(2500), "\(time) after \(outage)")
        }
    }

    /// Returns when the client has its new session.
    private func publishAgain(
        _ endpoint: WHIPEndpoint<MemoryStreamHost>, after outage: Range<MediaTime>, _ loss: Loss
    ) throws -> MediaTime {
        var run = try ClientRun()
        /// Requests on their way, and when they arrive; `nil` for never.
        var pending: [(request: ClientRun.Request, arrival: MediaTime?)] = []
        var hasFailed = false
        run.poll()
        while run.now < outage.upperBound + .seconds(30) {
            for request in run.requests {
                if !outage.contains(run.now) {
                    pending.append((request, run.now + .milliseconds(30)))
                } else if loss == .refused {
                    run.client.fail(request.id, reason: "network is unreachable", at: run.now)
                } else {
                    let arrival = [run.now + .seconds(1)].first { !outage.contains($0) }
                    pending.append((request, loss == .silent ? arrival.map { $0 + .milliseconds(60) } : nil))
                }
            }
            run.requests = []
            for (request, arrival) in pending where arrival.map({ $0 <= run.now }) ?? false {
                var message = request.request
                message.target = message.target.replacing("https://example.org", with: "")
                let response = endpoint.respond(to: message, access: .unrestricted)
                run.client.insert(response, to: request.id, at: run.now)
            }
            pending.removeAll { $0.arrival.map { $0 <= run.now } ?? false }
            run.poll()
            for event in run.takeEvents() {
                switch event {
                case .answered where run.now > outage.lowerBound: return run.now
                case .answered: run.client.noteConnected(at: run.now)
                case .failed(let error): throw TestFailure("it gave up: \(error)")
                default: break
                }
            }
            // A driver sees soon that nothing arrives any more.
            if !hasFailed, run.now >= outage.lowerBound + .milliseconds(900) {
                hasFailed = true
                run.client.noteFailed("the network is away", at: run.now)
                run.poll()
            }
            run.now = run.now + .milliseconds(10)
            run.poll()
        }
        throw TestFailure("it does not come back: \(run.client)")
    }
}

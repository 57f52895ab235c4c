import RillCore
import RillLink
import RillPeer

/// An endpoint whose events are kept.
final class DTLSEnd {
    let endpoint: DTLSEndpoint
    private(set) var events: [(time: MediaTime, event: DTLSEvent)] = []
    private var bytes: [UInt8] = []

    init(_ endpoint: DTLSEndpoint) { self.endpoint = endpoint }

    /// Transmits what is due, and returns when to be called again.
    @discardableResult
    func advance(to now: MediaTime, transmit: ([UInt8]) -> Void) -> MediaTime {
        for _ in 0..<1000 {
            switch endpoint.poll(at: now, into: &bytes) {
            case .transmit: transmit(bytes)
            case .event(let event): events.append((now, event))
            case .wait(until: let time):
                precondition(time > now, "the endpoint waits until \(time), and it is \(now)")
                return time
            }
        }
        preconditionFailure("polling does not come to an end")
    }

    /// What is due at a time.
    func datagrams(at now: MediaTime) -> [[UInt8]] {
        var datagrams: [[UInt8]] = []
        advance(to: now) { datagrams.append($0) }
        return datagrams
    }

    var connectTime: MediaTime? { events.first { $0.event == .connected }?.time }

    var failure: DTLSError? {
        for case (_, .failed(let error)) in events { return error }
        return nil
    }

    var data: [[UInt8]] { events.compactMap { if case .data(let data) = $0.event { data } else { nil } } }
}

/// Two endpoints with an emulated link in each direction, in virtual time.
final class DTLSPair {
    let client: DTLSEnd
    let server: DTLSEnd
    private(set) var now = MediaTime.zero
    /// The datagrams that were sent, with the role of the sender.
    private(set) var sent: [(role: DTLSRole, datagram: [UInt8])] = []
    /// What becomes of each datagram that arrives.
    var change: ([UInt8]) -> [[UInt8]] = { [$0] }
    private let toServer: EmulatedLink
    private let toClient: EmulatedLink

    /// One for all tests.
    static let certificates = (client: certificate(), server: certificate())

    static func certificate() -> DTLSCertificate {
        do { return try DTLSCertificate(wallClock: 1_800_000_000) } catch { preconditionFailure("\(error)") }
    }

    /// - Parameter isIntroduced: whether both know each other's fingerprint.
    init(
        _ link: LinkSettings = .clean, seed: UInt64 = 1, isIntroduced: Bool = true,
        serverCertificate: DTLSCertificate? = nil, client clientSettings: DTLSSettings = DTLSSettings(),
        server serverSettings: DTLSSettings = DTLSSettings()
    ) {
        let certificates = DTLSPair.certificates
        client = DTLSEnd(DTLSEndpoint(.client, certificate: certificates.client, settings: clientSettings))
        server = DTLSEnd(
            DTLSEndpoint(.server, certificate: serverCertificate ?? certificates.server, settings: serverSettings))
        toServer = EmulatedLink(link.seeded(2 * seed))
        toClient = EmulatedLink(link.seeded(2 * seed + 1))
        if isIntroduced { introduce() }
    }

    func introduce() {
        client.endpoint.setRemoteFingerprints([server.endpoint.certificate.fingerprint], at: now)
        server.endpoint.setRemoteFingerprints([client.endpoint.certificate.fingerprint], at: now)
    }

    var isConnected: Bool { client.endpoint.state == .connected && server.endpoint.state == .connected }

    /// Begins, and runs until both are connected.
    @discardableResult
    func connect(within duration: MediaDuration = .seconds(60)) -> Bool {
        client.endpoint.begin(at: now)
        server.endpoint.begin(at: now)
        run(until: now + duration) { isConnected && !events.isEmpty }
        return isConnected
    }

    private var events: [DTLSEvent] { client.events.map(\.event) }

    /// Runs until `end`, until nothing is left to do, or until `isDone`.
    func run(until end: MediaTime, isDone: () -> Bool = { false }) {
        while true {
            let wakeTime = min(
                client.advance(to: now) { send($0, .client) }, server.advance(to: now) { send($0, .server) })
            if isDone() { return }
            let arrival = min(toServer.nextArrival ?? .distantFuture, toClient.nextArrival ?? .distantFuture)
            guard min(wakeTime, arrival) <= end else {
                now = max(now, end)
                return
            }
            now = max(now, min(wakeTime, arrival))
            deliver(from: toServer, to: server)
            deliver(from: toClient, to: client)
        }
    }

    private func send(_ datagram: [UInt8], _ role: DTLSRole) {
        sent.append((role, datagram))
        (role == .client ? toServer : toClient).send(datagram.span, at: now)
    }

    private func deliver(from link: EmulatedLink, to end: DTLSEnd) {
        var bytes: [UInt8] = []
        while link.poll(at: now, into: &bytes) != nil {
            for datagram in change(bytes) { end.endpoint.insert(datagram.span, at: now) }
        }
    }
}

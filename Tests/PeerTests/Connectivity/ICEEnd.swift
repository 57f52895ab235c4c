import RillCore
import RillPeer
import RillTestSupport
import RillTransport

/// An agent on a socket of this machine, in real time.
final class ICEEnd {
    let agent: ICEAgent
    private(set) var events: [ICEEvent] = []
    private(set) var received: [[UInt8]] = []
    private let socket: UDPSocket
    private let start = ContinuousClock.now

    init(_ role: ICERole) throws {
        var generator = SystemRandomNumberGenerator()
        socket = try UDPSocket(boundTo: UDPAddress(.v4(0), port: 0))
        agent = ICEAgent(
            role, credentials: ICECredentials(using: &generator), settings: ICESettings(seed: generator.next()))
        for ip in ICEEnd.machineAddresses {
            try agent.addLocalCandidate(UDPAddress(ip, port: socket.localAddress.port))
        }
    }

    var now: MediaTime { .zero + MediaDuration(start.duration(to: .now)) }

    /// The address that this machine has towards others, if it has any, and the loopback address.
    private static var machineAddresses: [IPAddress] {
        // Nothing is sent: the socket only asks for a route. A machine without one has no address towards others.
        let outward = UDPAddress(.v4(0xC633_6401), port: 9)
        let routed = try? ConnectedUDPSocket(to: outward).localAddress.ip
        return (routed.map { [$0] } ?? []) + [.loopback]
    }

    /// The port of its socket.
    var port: UInt16 { socket.localAddress.port }

    /// Whether consent was ever lost.
    var hasLostConsent: Bool { events.contains { if case .consentLost = $0 { true } else { false } } }

    /// Runs until `isDone`, for at most that long; throws if it is not by then.
    ///
    /// - Parameter other: what else is to be done every few milliseconds.
    func run(
        atMost duration: MediaDuration, with other: () throws -> Void = {}, isDone: () -> Bool
    ) throws {
        let end = now + duration
        var bytes: [UInt8] = []
        while !isDone() {
            try other()
            guard now < end else { throw TestFailure("not done: \(agent.state), \(events)") }
            var wakeTime = now
            poll: while true {
                switch agent.poll(at: now, into: &bytes) {
                case .transmit(on: let path): try socket.send(bytes.span, to: path.remote)
                case .event(let event): events.append(event)
                case .wait(until: let time):
                    wakeTime = time
                    break poll
                }
            }
            let wait = max(.zero, min(wakeTime, now + .milliseconds(5)) - now)
            guard let datagram = try socket.receive(into: &bytes, within: wait) else {
                continue
            }
            if case .data = agent.insert(bytes.span, on: ICEPath(datagram.source), at: now) { received.append(bytes) }
        }
    }

    func send(_ text: String) throws {
        guard let path = agent.selectedPath else { throw TestFailure("no path to send on") }
        let bytes = Array(text.utf8)
        try socket.send(bytes.span, to: path.remote)
    }
}

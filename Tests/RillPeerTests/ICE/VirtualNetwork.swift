import RillCore
import RillLink
import RillPeer

/// Something that sends and receives datagrams in a ``VirtualNetwork``.
protocol NetworkEnd: AnyObject {
    /// Takes a datagram.
    func take(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime)
    /// Transmits what is due, and returns when to be called again.
    func advance(to now: MediaTime, transmit: (ICEPath, [UInt8]) -> Void) -> MediaTime
}

/// An agent whose events and results are kept.
final class AgentEnd: NetworkEnd {
    let agent: ICEAgent
    private(set) var events: [(time: MediaTime, event: ICEEvent)] = []
    private(set) var results: [ICEInsertResult] = []
    private(set) var sendTimes: [MediaTime] = []
    private var bytes: [UInt8] = []

    init(_ agent: ICEAgent) { self.agent = agent }

    func take(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) {
        results.append(agent.insert(datagram, on: path, at: now))
    }

    func advance(to now: MediaTime, transmit: (ICEPath, [UInt8]) -> Void) -> MediaTime {
        for _ in 0..<1000 {
            switch agent.poll(at: now, into: &bytes) {
            case .transmit(on: let path):
                sendTimes.append(now)
                transmit(path, bytes)
            case .event(let event): events.append((now, event))
            case .wait(until: let time):
                precondition(time > now, "the agent waits until \(time), and it is \(now)")
                return time
            }
        }
        preconditionFailure("polling does not come to an end")
    }

    /// When the state first became this one.
    func time(of state: ICEState) -> MediaTime? {
        events.first {
            if case .stateChanged(_, to: state) = $0.event { true } else { false }
        }?.time
    }

    var states: [ICEState] {
        events.compactMap { if case .stateChanged(_, to: let state) = $0.event { state } else { nil } }
    }
}

/// Ends at addresses, with an emulated link from each address to each other, in virtual time.
final class VirtualNetwork {
    private(set) var now = MediaTime.zero
    /// What a NAT makes of an address. Datagrams to the outer address reach the inner one.
    var translations: [UDPAddress: UDPAddress] = [:]
    /// Whether datagrams from one address to another are lost.
    var isBlocked: (UDPAddress, UDPAddress) -> Bool = { _, _ in false }

    private let settings: LinkSettings
    private var ends: [(end: any NetworkEnd, sockets: [UDPAddress])] = []
    private var links: [(route: Route, link: EmulatedLink)] = []
    /// Where a route's link is.
    private var places: [Route: Int] = [:]
    private var wakeTimes: [MediaTime] = []
    private var owners: [UDPAddress: (end: Int, socket: Int)] = [:]

    private struct Route: Hashable {
        let source: UDPAddress
        let destination: UDPAddress
    }

    init(_ settings: LinkSettings) { self.settings = settings }

    func add(_ end: any NetworkEnd, at sockets: [UDPAddress]) {
        for (socket, address) in sockets.enumerated() { owners[address] = (ends.count, socket) }
        ends.append((end, sockets))
        wakeTimes.append(.zero)
    }

    /// Runs until `end`, or until `isDone`.
    func run(until end: MediaTime, isDone: () -> Bool = { false }) {
        // The test may have changed something.
        for index in wakeTimes.indices { wakeTimes[index] = now }
        wake()
        while !isDone() {
            let next = min(
                links.compactMap(\.link.nextArrival).min() ?? .distantFuture, wakeTimes.min() ?? .distantFuture)
            guard next <= end else {
                now = max(now, end)
                return
            }
            now = max(now, next)
            deliver()
            wake()
        }
    }

    private func wake() {
        for index in ends.indices where wakeTimes[index] <= now {
            let sockets = ends[index].sockets
            wakeTimes[index] = ends[index].end.advance(to: now) { path, bytes in
                send(bytes, from: sockets[path.socket], to: path.remote)
            }
        }
    }

    private func send(_ bytes: [UInt8], from inner: UDPAddress, to destination: UDPAddress) {
        let source = translations[inner] ?? inner
        // A firewall drops it.
        guard !isBlocked(inner, destination) else { return }
        let route = Route(source: source, destination: destination)
        let place = places[route] ?? links.count
        if place == links.count {
            places[route] = place
            links.append((route, EmulatedLink(settings.seeded(settings.seed &* 1000 &+ UInt64(place)))))
        }
        links[place].link.send(bytes.span, at: now)
    }

    private func deliver() {
        var bytes: [UInt8] = []
        for (route, link) in links {
            while link.poll(at: now, into: &bytes) != nil {
                let inner = translations.first { $0.value == route.destination }?.key
                let address = inner ?? route.destination
                // Behind a NAT, the inner address is not reached from outside.
                guard inner != nil || translations[address] == nil, !isBlocked(route.source, address) else { continue }
                guard let owner = owners[address] else { continue }
                ends[owner.end].end.take(bytes.span, on: ICEPath(socket: owner.socket, route.source), at: now)
                wakeTimes[owner.end] = now
            }
        }
    }
}

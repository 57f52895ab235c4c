package import RillCore
package import RillLink
package import RillPeer

/// Something that sends and receives datagrams in a ``VirtualNetwork``.
package protocol NetworkEnd: AnyObject {
    /// Takes a datagram.
    func take(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime)
    /// Transmits what is due, and returns when to be called again.
    func advance(to now: MediaTime, transmit: (ICEPath, [UInt8]) -> Void) -> MediaTime
}

/// Ends at addresses, with an emulated link from each address to each other, in virtual time.
package final class VirtualNetwork {
    package private(set) var now = MediaTime.zero
    /// What a NAT makes of an address. Datagrams to the outer address reach the inner one.
    package var translations: [UDPAddress: UDPAddress] = [:]
    /// Whether datagrams from one address to another are lost.
    package var isBlocked: (UDPAddress, UDPAddress) -> Bool = { _, _ in false }
    /// Sees each datagram that is sent, and says whether it is lost.
    package var isLost: (_ source: UDPAddress, _ destination: UDPAddress, _ datagram: [UInt8]) -> Bool = { _, _, _ in
        false
    }

    /// The links from one address to another that are not like all others. Asked when the first datagram goes there.
    package var special: (UDPAddress, UDPAddress) -> LinkSettings? = { _, _ in nil }

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

    package init(_ settings: LinkSettings) { self.settings = settings }

    package func add(_ end: any NetworkEnd, at sockets: [UDPAddress]) {
        for (socket, address) in sockets.enumerated() { owners[address] = (ends.count, socket) }
        ends.append((end, sockets))
        wakeTimes.append(.zero)
    }

    /// Has ``special`` asked again for the links from and to an address. What is on its way arrives.
    package func renewLinks(of address: UDPAddress) {
        places = places.filter { $0.key.source != address && $0.key.destination != address }
    }

    /// Whether an end is at an address, be it behind a NAT.
    package func hasEnd(at address: UDPAddress) -> Bool {
        owners[address] != nil || translations.values.contains(address)
    }

    /// Delivers a datagram at once, as if it came from that address.
    package func inject(_ bytes: [UInt8], from source: UDPAddress, to destination: UDPAddress) {
        guard let owner = owners[destination] else { return }
        ends[owner.end].end.take(bytes.span, on: ICEPath(socket: owner.socket, source), at: now)
        wakeTimes[owner.end] = now
    }

    /// Runs until `end`, or until `isDone`.
    package func run(until end: MediaTime, isDone: () -> Bool = { false }) {
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
        guard !isBlocked(inner, destination), !isLost(inner, destination, bytes) else { return }
        let route = Route(source: source, destination: destination)
        let place = places[route] ?? links.count
        if place == links.count {
            places[route] = place
            let settings = special(source, destination) ?? settings
            links.append((route, EmulatedLink(settings.seeded(self.settings.seed &* 1000 &+ UInt64(place)))))
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

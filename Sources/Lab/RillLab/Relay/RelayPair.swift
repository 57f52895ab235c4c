import RillCore
import RillLink

/// A port that stands for a target address: two links, and the addresses at their ends.
struct RelayPair {
    private let index: Int
    private let to: UDPAddress
    private let hasOutwardSocket: Bool
    private let forward: EmulatedLink
    private let back: EmulatedLink
    private var envelopes = RelayRoutes()
    /// The last sender to the port that is not the target.
    private var lastSpeaker: UDPAddress?
    private var senders: RelaySenders?
    var meters: RelayMeters

    init(
        _ index: Int, _ pair: RelaySettings.Pair, _ settings: RelaySettings, hasOutwardSocket: Bool,
        sharing forward: Bottleneck?, _ back: Bottleneck?
    ) {
        self.index = index
        self.to = pair.to
        self.hasOutwardSocket = hasOutwardSocket
        let forward = EmulatedLink(pair.network, through: forward)
        let back = EmulatedLink(pair.returnNetwork, through: back)
        (self.forward, self.back) = (forward, back)
        meters = RelayMeters(forward, back)
        senders = settings.usesNAT ? RelaySenders(limit: settings.senderLimit, idleTime: settings.idleTime) : nil
    }

    var senderCount: Int { senders?.count ?? 0 }

    private func link(_ direction: RelayDirection) -> EmulatedLink { direction == .forward ? forward : back }

    // MARK: Arrivals

    mutating func receive(
        _ datagram: Span<UInt8>, from source: UDPAddress, at socket: RelaySocket, _ now: MediaTime
    ) -> RelayReceipt {
        let direction: RelayDirection
        let route: RelayRoute
        switch socket {
        case .listening where source != to:
            direction = .forward
            guard let found = routeForward(from: source, now) else { return refuse(.tooManySenders, .forward) }
            lastSpeaker = source
            route = found
        case .listening, .outward:
            direction = .return
            guard source == to else { return refuse(.unknownSender, .return) }
            guard let lastSpeaker else { return refuse(.noPeer, .return) }
            route = RelayRoute(socket: .listening(pair: index), destination: lastSpeaker)
        case .sender(_, let number):
            direction = .return
            guard source == to, let sender = senders?.address(of: number, at: now) else {
                return refuse(.unknownSender, .return)
            }
            route = RelayRoute(socket: .listening(pair: index), destination: sender)
        }
        return .sent(send(datagram, direction, route, now))
    }

    /// The route from a sender to the target; `nil` if the limit of senders is reached.
    private mutating func routeForward(from source: UDPAddress, _ now: MediaTime) -> RelayRoute? {
        if senders != nil {
            return senders?.number(of: source, at: now).map { number in
                RelayRoute(socket: .sender(pair: index, number: number), destination: to)
            }
        }
        return RelayRoute(
            socket: hasOutwardSocket ? .outward(pair: index) : .listening(pair: index), destination: to)
    }

    private mutating func send(
        _ datagram: Span<UInt8>, _ direction: RelayDirection, _ route: RelayRoute, _ now: MediaTime
    ) -> RelayEntry {
        let link = link(direction)
        let number = link.statistics.sent
        let outcome = link.send(datagram, at: now)
        let wait = link.bottleneck == nil ? nil : link.lastPassage?.wait
        var route = route
        route.wait = wait
        if case .queued(_, let copy, _) = outcome {
            envelopes.insert(route, number, direction, isDuplicated: copy != nil)
            if case .sender(_, let sender) = route.socket { senders?.addOnTheWay(1, of: sender) }
        }
        meters[direction].count(outcome, byteCount: datagram.count, onTheWay: link.countInFlight, at: now)
        if let wait { meters[direction].countWait(wait) }
        return RelayEntry(
            pair: index, direction: direction, number: number, byteCount: datagram.count, arrival: now,
            outcome: outcome,
            wait: wait)
    }

    private mutating func refuse(_ refusal: RelayRefusal, _ direction: RelayDirection) -> RelayReceipt {
        meters[direction].count(refusal)
        return .refused(refusal)
    }

    // MARK: Departures

    var nextDeparture: MediaTime? {
        guard let there = forward.nextArrival else { return back.nextArrival }
        return min(there, back.nextArrival ?? there)
    }

    /// The next datagram that is due by `now`; at equal times the forward direction is first.
    mutating func depart(at now: MediaTime, into bytes: inout [UInt8]) -> RelayDeparture? {
        let isReturn = back.nextArrival.map { $0 < forward.nextArrival ?? .distantFuture } ?? false
        let direction = isReturn ? RelayDirection.return : .forward
        guard let delivery = link(direction).poll(at: now, into: &bytes) else { return nil }
        let departure = departure(delivery, direction, byteCount: bytes.count, at: now)
        meters[direction].count(departure)
        return departure
    }

    private mutating func departure(
        _ delivery: Delivery, _ direction: RelayDirection, byteCount: Int, at now: MediaTime
    ) -> RelayDeparture {
        let (route, isDuplicated) = envelopes.remove(delivery.sequence, direction, isCopy: delivery.isCopy)
        if !isDuplicated || delivery.isCopy, case .sender(_, let sender) = route.socket {
            senders?.addOnTheWay(-1, of: sender)
        }
        return RelayDeparture(
            pair: index, direction: direction, byteCount: byteCount, delivery: delivery, route: route, departure: now,
            isDuplicated: isDuplicated && !delivery.isCopy,
            isReordered: !delivery.isCopy && meters[direction].isOvertaken(delivery.sequence))
    }

    mutating func abandon(at now: MediaTime, _ body: (RelayDeparture) -> Void) {
        var bytes: [UInt8] = []
        for direction in RelayDirection.allCases {
            meters[direction].end(link(direction))
            while let delivery = link(direction).poll(at: .distantFuture, into: &bytes) {
                body(departure(delivery, direction, byteCount: bytes.count, at: now))
                meters[direction].abandoned += 1
            }
        }
    }

    /// A sender that was idle too long, which is removed.
    mutating func closeIdleSender(at now: MediaTime) -> RelaySocket? {
        senders?.removeIdle(at: now).map { .sender(pair: index, number: $0) }
    }

    func add(to progress: inout RelayProgress) {
        progress.forward.add(forward.statistics)
        progress.back.add(back.statistics)
        progress.onTheWay += forward.countInFlight + back.countInFlight
        for late in [meters.forward.lateness.percentile(99), meters.back.lateness.percentile(99)] {
            progress.lateness = [progress.lateness, late].compactMap(\.self).max()
        }
    }

    var currentMeters: RelayMeters {
        var meters = meters
        for direction in RelayDirection.allCases { meters[direction].takeLink(link(direction)) }
        return meters
    }
}

/// The route of each datagram in flight; at most as many as the links hold.
private struct RelayRoutes {
    private struct Key: Hashable {
        var number: Int
        var direction: RelayDirection
    }

    private var routes: [Key: (route: RelayRoute, isDuplicated: Bool)] = [:]

    mutating func insert(_ route: RelayRoute, _ number: Int, _ direction: RelayDirection, isDuplicated: Bool) {
        routes[Key(number: number, direction: direction)] = (route, isDuplicated)
    }

    /// The copy comes last: the route stays until then.
    mutating func remove(
        _ number: Int, _ direction: RelayDirection, isCopy: Bool
    ) -> (route: RelayRoute, isDuplicated: Bool) {
        let key = Key(number: number, direction: direction)
        guard let found = routes[key] else { preconditionFailure("a link delivered what was not sent over it") }
        if isCopy || !found.isDuplicated { routes[key] = nil }
        return found
    }
}

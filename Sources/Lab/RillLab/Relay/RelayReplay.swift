import RillCore
package import RillLink

/// One direction of a pair from a relay's log, and the same arrivals over a link in virtual time: both must be equal.
/// Not for a direction in which pairs share a queue: there a pair's result follows from the arrivals of all.
///
/// ```swift
/// let replay = RelayReplay(records, pair: 0, .forward, over: relay.settings.pairs[0].network)
/// replay.logged == replay.replayed
/// ```
package struct RelayReplay {
    /// The log's departures, in order, and losses, by number; without departure times.
    package let logged: [RelayRecord]
    /// The link's result for the same arrivals, in the same form. Empty if the log lacks some.
    package let replayed: [RelayRecord]

    /// Compares one direction of a pair. The log must be complete, with nothing abandoned or failed.
    package init(_ records: [RelayRecord], pair: Int, _ direction: RelayDirection, over settings: LinkSettings) {
        let all = records.filter { $0.pair == pair && $0.direction == direction && $0.number != nil }
        let lost = all.filter { $0.outcome == .lost }
        logged = (all.filter { $0.outcome != .lost } + lost).map(RelayReplay.asScheduled)
        replayed = RelayReplay.records(all.filter { $0.outcome != .copy }, pair, direction, EmulatedLink(settings))
    }

    private static func asScheduled(_ record: RelayRecord) -> RelayRecord {
        var record = record
        record.departure = nil
        return record
    }

    private static func records(
        _ arrivals: [RelayRecord], _ pair: Int, _ direction: RelayDirection, _ link: EmulatedLink
    ) -> [RelayRecord] {
        var (lost, left, duplicated): ([RelayRecord], [RelayRecord], Set<Int>) = ([], [], [])
        var waits: [Int: MediaDuration] = [:]
        for arrival in arrivals.sorted(by: { $0.number ?? 0 < $1.number ?? 0 }) {
            let number = link.statistics.sent
            guard arrival.number == number else { return [] }
            let bytes = [UInt8](repeating: 0, count: arrival.byteCount)
            let outcome = link.send(bytes.span, at: arrival.arrival)
            waits[number] = link.bottleneck == nil ? nil : link.lastPassage?.wait
            if case .queued(_, .some, _) = outcome { duplicated.insert(number) }
            let entry = RelayEntry(
                pair: pair, direction: direction, number: number, byteCount: arrival.byteCount,
                arrival: arrival.arrival,
                outcome: outcome, wait: waits[number])
            if let record = RelayRecord(entry) { lost.append(record) }
        }
        var bytes: [UInt8] = []
        while let delivery = link.poll(at: .distantFuture, into: &bytes) {
            let route = RelayRoute(
                socket: .listening(pair: pair), destination: UDPAddress(.v4(0), port: 0),
                wait: waits[delivery.sequence])
            let departure = RelayDeparture(
                pair: pair, direction: direction, byteCount: bytes.count, delivery: delivery, route: route,
                departure: delivery.arrival,
                isDuplicated: duplicated.contains(delivery.sequence) && !delivery.isCopy, isReordered: false)
            left.append(asScheduled(RelayRecord(departure)))
        }
        return left + lost
    }
}

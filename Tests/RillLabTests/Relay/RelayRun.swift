import RillCore
import RillLink

@testable import RillLab

/// A relay in virtual time, and all that left it.
final class RelayRun {
    let relay: Relay
    private(set) var departures: [RelayDeparture] = []
    private(set) var contents: [[UInt8]] = []
    private(set) var closed: [RelaySocket] = []
    private var bytes: [UInt8] = []

    /// Addresses as everybody has them here.
    static let to = UDPAddress(.loopback, port: 9000)
    static let listen = UDPAddress(.loopback, port: 8000)

    static func sender(_ number: Int) -> UDPAddress { UDPAddress(.v4(0x0A00_0000 + UInt32(number)), port: 7000) }

    init(_ settings: RelaySettings, hasOutwardSocket: [Bool]? = nil) {
        relay = Relay(settings, hasOutwardSocket: hasOutwardSocket)
    }

    /// One pair over a network.
    convenience init(_ network: String, back: String? = nil, _ change: (inout RelaySettings) -> Void = { _ in }) throws
    {
        var settings = RelaySettings()
        settings.addPair(
            listen: RelayRun.listen, to: RelayRun.to, network: try LinkSettings(notation: network),
            returnNetwork: try back.map { try LinkSettings(notation: $0) })
        change(&settings)
        self.init(settings)
    }

    /// Polls until `now`, each time exactly when the relay wants it.
    func poll(until now: MediaTime) {
        while relay.wakeTime <= now {
            let wakeTime = relay.wakeTime
            pollOnce(at: wakeTime)
            precondition(relay.wakeTime > wakeTime, "the relay wants to be polled for ever")
        }
    }

    /// Polls at that time alone.
    func pollOnce(at now: MediaTime) {
        while let action = relay.poll(at: now, into: &bytes) {
            switch action {
            case .send(let departure):
                departures.append(departure)
                contents.append(bytes)
            case .close(let socket): closed.append(socket)
            }
        }
    }

    /// Lets time go on to `now`, and has a datagram come.
    @discardableResult
    func receive(
        _ datagram: [UInt8], from source: UDPAddress = RelayRun.sender(1), at socket: RelaySocket = .listening(pair: 0),
        now: MediaTime
    ) -> RelayReceipt {
        poll(until: now)
        return relay.receive(datagram.span, from: source, at: socket, now: now)
    }

    /// All that left in one direction of a pair, as text: number, a mark for copies, scheduled time.
    func trace(_ direction: RelayDirection = .forward, pair: Int = 0) -> [String] {
        departures.filter { $0.direction == direction && $0.pair == pair }.map { departure in
            "\(departure.number)\(departure.isCopy ? "'" : "")@\(departure.scheduled.nanoseconds)"
        }
    }
}

/// What an emulated link alone makes of the same arrivals.
struct PlainLink {
    private(set) var trace: [String] = []
    private(set) var contents: [[UInt8]] = []
    let statistics: LinkStatistics

    init(_ settings: LinkSettings, _ arrivals: [(time: MediaTime, datagram: [UInt8])]) {
        let link = EmulatedLink(settings)
        for arrival in arrivals { link.send(arrival.datagram.span, at: arrival.time) }
        var bytes: [UInt8] = []
        while let delivery = link.poll(at: .distantFuture, into: &bytes) {
            trace.append("\(delivery.sequence)\(delivery.isCopy ? "'" : "")@\(delivery.arrival.nanoseconds)")
            contents.append(bytes)
        }
        statistics = link.statistics
    }
}

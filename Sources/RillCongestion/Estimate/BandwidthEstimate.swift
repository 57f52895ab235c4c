public import RillCore

/// Estimates what a path carries, from what was sent and what feedback says of it.
///
/// Feed it with fates (``SentPacketHistory/take(_:_:)``), then call ``update(at:)`` once per feedback. ``rate`` is what to send, and
/// ``pacingRate(at:)`` how fast.
///
/// - The capacity comes from packet trains (``CapacityMeter``); the rate aims at 0.95 of it.
/// - A standing queue lowers the aim, so that the queue drains.
/// - Packets that arrive much more slowly than they left, behind a queue, are an overload: the rate is cut below the acknowledged one, and
///   frames are left out until the queue has drained (``isWindowFull(_:at:)``).
/// - Loss without a queue changes nothing.
///
/// Still missing: jitter that hides the trains, several flows, probes, feedback that stops.
public struct BandwidthEstimate: Sendable {
    /// The rate to send at, all packets and headers included.
    public private(set) var rate: Bitrate
    /// The bounds of the rate.
    public let range: ClosedRange<Bitrate>

    /// ``rate`` with its fraction.
    private var bits: Double
    private var meter = CapacityMeter()
    /// The shortest transit of the last 20 s, in seconds; its zero is unknown, as the two clocks differ.
    private var floor: (value: Double, time: MediaTime)?
    /// The longest recent wait in the queue, in seconds.
    private var peakQueue = 0.0
    /// The packets of the last 200 ms that arrived.
    private var recent: [(send: MediaTime, arrival: MediaTime, bytes: Int)] = []
    private var lastUpdate: MediaTime?
    private var startTime: MediaTime?
    /// No increase and no further cut before that time.
    private var holdUntil = MediaTime(nanoseconds: .min)
    /// The shortest time from a packet's departure to the feedback that reports it.
    private var roundTrip: (value: MediaDuration, time: MediaTime)?
    /// While the queue of a cut drains: until then nothing is sent beyond a small window.
    private var drainUntil = MediaTime(nanoseconds: .min)
    /// Cuts so far.
    public private(set) var cutCount = 0

    /// An estimate before the first feedback.
    public init(start: Bitrate, range: ClosedRange<Bitrate>) {
        (rate, self.range) = (start, range)
        bits = Double(start.bitsPerSecond)
    }

    /// How fast packets leave: faster than the rate, so that trains show what the path carries beyond it.
    public func pacingRate(at now: MediaTime) -> Bitrate {
        let isStarting = startTime.map { now - $0 < .seconds(2) } ?? true
        return Bitrate(bitsPerSecond: Int(bits * (isStarting ? 3 : 1.5)))
    }

    /// Whether so many bytes in flight are more than the path needs: then frames are left out.
    public func isWindowFull(_ bytesInFlight: Int, at now: MediaTime) -> Bool {
        let trip = (roundTrip?.value ?? .milliseconds(200)).seconds
        if now < drainUntil { return Double(bytesInFlight * 8) > bits * (trip + 0.05) }
        return Double(bytesInFlight * 8) > bits * (trip + 0.175)
    }

    /// Whether a cut empties the pacer now.
    public func isDraining(at now: MediaTime) -> Bool { now < drainUntil }

    /// Notes the fate of a packet.
    public mutating func note(_ packet: PacketRecord, _ fate: PacketFate, at now: MediaTime) {
        switch fate {
        case .received(let arrival):
            meter.add(packet, arrival: arrival)
            let trip = now - packet.sendTime
            if roundTrip.map({ trip < $0.value || now - $0.time > .seconds(20) }) ?? true { roundTrip = (trip, now) }
            let transit = (arrival - packet.sendTime).seconds
            if floor.map({ transit < $0.value || now - $0.time > .seconds(20) }) ?? true { floor = (transit, now) }
            let wait = transit - (floor?.value ?? transit)
            peakQueue = max(peakQueue * 0.9, wait)
            recent.append((packet.sendTime, arrival, Int(packet.byteCount)))
        case .lost: meter.addLost(packet)
        case .unknown: break
        }
    }

    /// Works out the rate anew, after the packets of a feedback.
    public mutating func update(at now: MediaTime) {
        if startTime == nil { startTime = now }
        let elapsed = lastUpdate.map { min((now - $0).seconds, 0.2) } ?? 0.05
        lastUpdate = now
        if let newest = recent.last { recent.removeAll { newest.send - $0.send > .milliseconds(200) } }
        if cutIfOverloaded(at: now) { return }
        if peakQueue < 0.04 { drainUntil = now }
        var goal = bits
        switch meter.reading {
        case .unknown: goal = standingQueue > 0.02 ? bits * 0.98 : bits * 1.03
        case .capacity(let capacity): goal = capacity * (0.95 - 4 * min(standingQueue, 0.1))
        case .atLeast(let seen): goal = max(bits, min(0.94 * seen, bits * 1.6))
        }
        if now < holdUntil { goal = min(goal, bits) }
        let constant = goal > bits ? 0.2 : 0.1
        bits += (goal - bits) * (1 - 1 / (1 + elapsed / constant))
        apply()
    }

    /// What stands in the queue all the time, in seconds: the smallest recent wait, less what the scatter of waits explains.
    private var standingQueue: Double {
        guard recent.count >= 4, let floor else { return 0 }
        let waits = recent.map { ($0.arrival - $0.send).seconds - floor.value }.sorted()
        return max(0, waits[0] - 0.004 - 0.5 * (waits[waits.count / 2] - waits[0]))
    }

    private mutating func cutIfOverloaded(at now: MediaTime) -> Bool {
        guard recent.count >= 4, now >= holdUntil, let first = recent.first, let last = recent.last else {
            return false
        }
        let sendSeconds = (last.send - first.send).seconds
        let arrivalSeconds = (last.arrival - first.arrival).seconds
        let bytes = recent.dropFirst().reduce(0) { $0 + $1.bytes }
        guard sendSeconds > 0.08, arrivalSeconds > 0.05 else { return false }
        let acknowledged = Double(bytes * 8) / arrivalSeconds
        guard sendSeconds / arrivalSeconds < 0.6, peakQueue > 0.06 else { return false }
        bits = min(bits, 0.85 * acknowledged)
        cutCount += 1
        holdUntil = now + .milliseconds(450)
        drainUntil = now + .milliseconds(450)
        meter.reset()
        recent.removeAll()
        apply()
        return true
    }

    private mutating func apply() {
        bits = min(max(bits, Double(range.lowerBound.bitsPerSecond)), Double(range.upperBound.bitsPerSecond))
        rate = Bitrate(bitsPerSecond: Int(bits))
    }
}

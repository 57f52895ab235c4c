public import RillCore

/// Estimates what a path carries, from what was sent and what feedback says of it.
///
/// Feed it with fates (``SentPacketHistory/take(_:_:)``), then call ``update(at:)`` once per feedback. ``rate`` is what to send, and
/// ``pacingRate(at:)`` how fast.
///
/// - The capacity comes from packet trains (``CapacityMeter``); the rate aims at 0.95 of it.
/// - Where jitter hides the trains, the rate rises until a queue stands, and falls with it (``QueueMeter``).
/// - A standing queue lowers the aim, so that the queue drains.
/// - Packets that arrive much more slowly than they left, behind a queue, are an overload: the rate is cut below the acknowledged one, and
///   frames are left out until the queue has drained (``isWindowFull(_:at:)``).
/// - Loss without a queue changes nothing.
///
/// Still missing: jitter that keeps the order in long rows, several flows, probes, feedback that stops.
public struct BandwidthEstimate: RateController {
    /// The rate to send at, all packets and headers included.
    public private(set) var rate: Bitrate
    /// The bounds of the rate.
    public let range: ClosedRange<Bitrate>
    /// Cuts so far.
    public private(set) var cutCount = 0

    /// ``rate`` with its fraction.
    private var bits: Double
    private var capacity = CapacityMeter()
    private var queue = QueueMeter()
    /// The shortest transit of the last 20 s, in seconds; its zero is unknown, as the two clocks differ.
    private var floor: (value: Double, time: MediaTime)?
    /// The longest recent wait in the queue, in seconds.
    private var peakQueue = 0.0
    /// The packets of the last 200 ms that arrived.
    private var recent: [(send: MediaTime, arrival: MediaTime, bytes: Int)] = []
    /// The shortest time from a packet's departure to the feedback that reports it.
    private var roundTrip: (value: MediaDuration, time: MediaTime)?
    /// Whether a queue has stood since the start: until then the rate rises faster.
    private var hasFilledPath = false
    private var lastUpdate: MediaTime?
    private var startTime: MediaTime?
    /// No increase and no further cut before that time.
    private var holdUntil = MediaTime(nanoseconds: .min)
    /// While the queue of a cut drains: until then nothing is sent beyond a small window.
    private var drainUntil = MediaTime(nanoseconds: .min)

    /// The deviation of the first packets of trains above which jitter hides the trains, in seconds.
    private static let maximumJitter = 0.009

    /// An estimate before the first feedback.
    ///
    /// - Parameters:
    ///   - start: the rate to begin with.
    ///   - range: the bounds of the rate.
    public init(start: Bitrate, range: ClosedRange<Bitrate>) {
        (rate, self.range) = (start, range)
        bits = Double(start.bitsPerSecond)
    }

    /// How fast packets leave: faster than the rate, so that trains show what the path carries beyond it.
    public func pacingRate(at now: MediaTime) -> Bitrate {
        Bitrate(bitsPerSecond: Int(bits * (isStarting(at: now) ? 3 : 1.5)))
    }

    /// Whether so many bytes in flight are more than the path needs: then frames are left out before they are encoded.
    public func isWindowFull(_ bytesInFlight: Int, at now: MediaTime) -> Bool {
        let trip = (roundTrip?.value ?? .milliseconds(200)).seconds
        return Double(bytesInFlight * 8) > bits * (trip + (now < drainUntil ? 0.05 : 0.175))
    }

    /// Notes the fate of a packet.
    ///
    /// - Parameters:
    ///   - packet: the packet; in the order of sending.
    ///   - fate: what feedback says of it.
    ///   - now: when the feedback arrived.
    public mutating func note(_ packet: PacketRecord, _ fate: PacketFate, at now: MediaTime) {
        switch fate {
        case .received(let arrival):
            capacity.add(packet, arrival: arrival)
            let trip = now - packet.sendTime
            if roundTrip.map({ trip < $0.value || now - $0.time > .seconds(20) }) ?? true { roundTrip = (trip, now) }
            let transit = (arrival - packet.sendTime).seconds
            if floor.map({ transit < $0.value || now - $0.time > .seconds(20) }) ?? true { floor = (transit, now) }
            peakQueue = max(peakQueue * 0.9, transit - (floor?.value ?? transit))
            recent.append((packet.sendTime, arrival, Int(packet.byteCount)))
            queue.add(packet, transit: transit)
        case .lost: capacity.addLost(packet)
        case .unknown: break
        }
    }

    /// Works out the rate anew, after the packets of a feedback.
    public mutating func update(at now: MediaTime) {
        if startTime == nil { startTime = now }
        let elapsed = lastUpdate.map { min((now - $0).seconds, 0.2) } ?? 0.05
        lastUpdate = now
        if let newest = recent.last { recent.removeAll { newest.send - $0.send > .milliseconds(200) } }
        queue.update()
        if cutIfOverloaded(at: now) { return }
        if peakQueue < 0.04 { drainUntil = now }
        let goal = now < holdUntil ? min(goal(at: now), bits) : goal(at: now)
        let constant = goal > bits ? 0.2 : 0.1
        bits += (goal - bits) * (1 - 1 / (1 + elapsed / constant))
        apply()
    }

    // MARK: Decisions

    private func isStarting(at now: MediaTime) -> Bool { startTime.map { now - $0 < .seconds(2) } ?? true }

    /// The rate to move to.
    private mutating func goal(at now: MediaTime) -> Double {
        // Jitter that keeps the order holds up the later packets of a train more than the first, and trains seem stretched.
        let isHidden = queue.jitter > BandwidthEstimate.maximumJitter && !isStarting(at: now)
        switch isHidden ? .unknown : capacity.reading {
        case .capacity(let capacity): return capacity * (0.95 - 4 * min(queue.standing, 0.1))
        case .atLeast(let seen): return max(bits, min(0.94 * seen, bits * 1.6))
        case .unknown:
            guard queue.standing > 0 else { return bits * (hasFilledPath ? 1.04 : 1.2) }
            hasFilledPath = true
            return bits * (0.98 - 2 * min(queue.standing, 0.1))
        }
    }

    private mutating func cutIfOverloaded(at now: MediaTime) -> Bool {
        guard recent.count >= 4, now >= holdUntil, let first = recent.first, let last = recent.last else {
            return false
        }
        let sendSeconds = (last.send - first.send).seconds
        let arrivalSeconds = (last.arrival - first.arrival).seconds
        guard sendSeconds > 0.08, arrivalSeconds > 0.05 else { return false }
        let newest = recent.suffix(6)
        let transit = newest.reduce(0) { $0 + ($1.arrival - $1.send).seconds } / Double(newest.count)
        guard sendSeconds / arrivalSeconds < 0.6, peakQueue > 0.06, transit - queue.lowest > 0.02 + 2 * queue.error
        else { return false }
        let bytes = recent.dropFirst().reduce(0) { $0 + $1.bytes }
        bits = min(bits, 0.85 * Double(bytes * 8) / arrivalSeconds)
        cutCount += 1
        holdUntil = now + .milliseconds(450)
        drainUntil = holdUntil
        capacity.reset()
        recent.removeAll()
        apply()
        return true
    }

    private mutating func apply() {
        bits = min(max(bits, Double(range.lowerBound.bitsPerSecond)), Double(range.upperBound.bitsPerSecond))
        rate = Bitrate(bitsPerSecond: Int(bits))
    }
}

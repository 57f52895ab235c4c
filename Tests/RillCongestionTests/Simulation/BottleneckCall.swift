import RillCongestion
import RillLink
import RillTestSupport

/// A sender of synthetic frames over an emulated bottleneck, in virtual time: frames, pacer, history, link, feedback, estimate.
struct BottleneckCall {
    /// What happened to one packet.
    struct Trip {
        var sent: MediaTime
        var byteCount: Int
        /// The time in the queue before its own transmission; `nil` where the queue dropped it.
        var wait: MediaDuration?
    }

    private(set) var trips: [Trip] = []
    private(set) var rates: [(time: MediaTime, rate: Int)] = []
    private(set) var cutCount = 0
    private(set) var framesSkipped = 0

    /// Runs a call.
    ///
    /// - Parameters:
    ///   - link: the forward direction, as `rate=1M`; queue and delay are added.
    ///   - controller: decides the rate.
    init(
        link: String, seconds: Int, seed: UInt64,
        controller: some RateController = BandwidthEstimate(
            start: .kilobits(300), range: .kilobits(50) ... .kilobits(2500)),
        capacity: (MediaTime) -> Double
    ) throws {
        let forward = EmulatedLink(try LinkSettings(notation: "\(link),queue=300ms,delay=50ms,seed=\(seed)"))
        let back = EmulatedLink(try LinkSettings(notation: "rate=10M,delay=50ms,seed=\(seed + 1000)"))
        var encoder = SyntheticEncoder(target: 260_000, seed: seed)
        var estimate = controller
        var pacer = Pacer(rate: estimate.pacingRate(at: .zero))
        var history = SentPacketHistory()
        var builder = FeedbackBuilder()
        var (train, frame, now) = (0, 0, MediaTime.zero)
        var sizes: [Int: Int] = [:]
        var token = 0
        var datagram: [UInt8] = []
        var pacerTime = MediaTime.distantFuture
        // When the bottleneck has sent what it took so far.
        var free = MediaTime.zero
        let end = MediaTime.zero + .seconds(seconds)
        while now < end {
            let frameTime = FrameRate(30).time(ofFrame: frame)
            now =
                [
                    frameTime, pacerTime, forward.nextArrival ?? .distantFuture, back.nextArrival ?? .distantFuture,
                    builder.dueTime,
                ].min() ?? end
            if frameTime <= now {
                frame += 1
                history.expire(sentBefore: now - .milliseconds(700))
                encoder.target = Double(estimate.rate.bitsPerSecond) * 0.96
                let byteCount = encoder.next()
                if pacer.isFull || estimate.isWindowFull(history.bytesInFlight + pacer.byteCount, at: now) {
                    framesSkipped += 1
                } else {
                    if pacer.count == 0 { train += 1 }
                    let count = (byteCount + 1199) / 1200
                    for index in 0..<count {
                        sizes[token] = byteCount * (index + 1) / count - byteCount * index / count + 28 + 20
                        pacer.enqueue(token, .deltaFrame, stream: 0, byteCount: sizes[token] ?? 0, at: now)
                        token += 1
                    }
                    pacerTime = now
                }
            }
            pacer.setRate(estimate.pacingRate(at: now))
            sending: while pacerTime <= now {
                switch pacer.poll(at: now) {
                case .wait(until: let time): pacerTime = time
                case .send(let token):
                    let byteCount = sizes.removeValue(forKey: token) ?? 0
                    let number = history.record(.media, byteCount: byteCount, train: train, at: now)
                    var bytes = [UInt8](repeating: 0, count: byteCount)
                    (bytes[0], bytes[1]) = (UInt8(number.rawValue >> 8), UInt8(truncatingIfNeeded: number.rawValue))
                    let outcome = forward.send(bytes.span, at: now)
                    var trip = Trip(sent: now, byteCount: byteCount)
                    if case .lost(.queueFull) = outcome {
                        // It never was in the queue.
                    } else {
                        trip.wait = max(free - now, .zero)
                        let transmission = Double(byteCount * 8) / capacity(now)
                        free = max(free, now) + MediaDuration(nanoseconds: Int64(transmission * 1e9))
                    }
                    trips.append(trip)
                }
            }
            while let delivery = forward.poll(at: now, into: &datagram) {
                let number = SequenceNumber(UInt16(datagram[0]) << 8 | UInt16(datagram[1]))
                builder.note(number, byteCount: datagram.count, arrival: delivery.arrival)
            }
            if builder.dueTime <= now, let byteCount = builder.prepare() {
                let feedback = [UInt8](capacity: byteCount) { output in
                    builder.write(from: SSRC(1), about: SSRC(2), at: now, into: &output)
                }
                back.send(feedback.span, at: now)
            }
            while back.poll(at: now, into: &datagram) != nil {
                let packet = try RTCPPacket(parsing: datagram.span)
                let feedback = try TransportFeedback(parsing: packet)
                history.take(feedback) { record, fate in estimate.note(record, fate, at: now) }
                let cuts = estimate.cutCount
                estimate.update(at: now)
                if estimate.cutCount > cuts {
                    for token in pacer.discard(.deltaFrame, stream: 0) { sizes[token] = nil }
                }
                rates.append((now, estimate.rate.bitsPerSecond))
            }
        }
        cutCount = estimate.cutCount
    }

    /// Accepted bytes over capacity.
    func utilization(_ from: Int, _ to: Int, of capacity: Double) -> Double {
        let bytes = window(from, to).reduce(0) { $0 + ($1.wait == nil ? 0 : $1.byteCount) }
        return Double(bytes * 8) / capacity / Double(to - from)
    }

    /// The mean and the 95th percentile of the wait, in milliseconds.
    func wait(_ from: Int, _ to: Int) -> (mean: Double, p95: Double) {
        let waits = window(from, to).compactMap { $0.wait?.milliseconds }.sorted()
        guard !waits.isEmpty else { return (0, 0) }
        return (waits.reduce(0, +) / Double(waits.count), waits[waits.count * 95 / 100])
    }

    func lossShare(_ from: Int, _ to: Int) -> Double {
        let packets = window(from, to)
        return Double(packets.count { $0.wait == nil }) / Double(max(1, packets.count))
    }

    /// When the rate first exceeds a share of a capacity after a time, in seconds after that.
    func time(toReach rate: Double, after start: Int) -> Double? {
        let start = MediaTime.zero + .seconds(start)
        return rates.first { $0.time >= start && Double($0.rate) >= rate }.map { ($0.time - start).seconds }
    }

    private func window(_ from: Int, _ to: Int) -> ArraySlice<Trip> {
        let (start, end) = (MediaTime.zero + .seconds(from), MediaTime.zero + .seconds(to))
        let first = trips.firstIndex { $0.sent >= start } ?? trips.endIndex
        let last = trips.firstIndex { $0.sent >= end } ?? trips.endIndex
        return trips[first..<last]
    }
}

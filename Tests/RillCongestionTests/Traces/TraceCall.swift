import RillCongestion
import RillLink
import RillTestSupport

/// A sender of synthetic frames over a link with a trace, in virtual time.
///
/// The queue drops at its tail. It drops a packet if the queue with it needs more than 300 ms at the present
/// capacity, the mean of the last 200 ms. With a limit in bytes, it drops beyond that limit. An empty queue accepts
/// any packet.
final class TraceCall {
    /// The path of one packet through the link.
    struct Trip {
        var sent: MediaTime
        var byteCount: Int
        /// The time until its first bit was carried; `nil` where the queue dropped it.
        var wait: MediaDuration?
    }

    let trace: CapacityTrace
    private(set) var trips: [Trip] = []
    private(set) var rates: [(time: MediaTime, rate: Int)] = []
    private(set) var framesSkipped = 0
    private(set) var cutCount = 0

    private var queue: BoundedQueue
    private let back: EmulatedLink
    private var history = SentPacketHistory()
    private var builder = FeedbackBuilder()
    private var sizes: [Int: Int] = [:]
    private var (token, train) = (0, 0)

    /// Runs a call for as long as the trace lasts.
    init(_ trace: CapacityTrace, queue limit: QueueLimit, seed: UInt64, controller: some RateController) throws {
        self.trace = trace
        queue = try BoundedQueue(trace, limit: limit)
        back = EmulatedLink(try LinkSettings(notation: "rate=10M,delay=50ms,seed=\(seed + 1000)"))
        try run(controller, seed: seed)
    }

    private func run(_ controller: some RateController, seed: UInt64) throws {
        var controller = controller
        var encoder = SyntheticEncoder(target: Double(controller.rate.bitsPerSecond), seed: seed)
        var pacer = Pacer(rate: controller.pacingRate(at: .zero))
        var (frame, now, pacerTime) = (0, MediaTime.zero, MediaTime.distantFuture)
        let end = MediaTime.zero + trace.duration
        while now < end {
            let frameTime = FrameRate(30).time(ofFrame: frame)
            let times = [
                frameTime, pacerTime, builder.dueTime, queue.nextArrival, back.nextArrival ?? .distantFuture,
                controller.dueTime,
            ]
            now = max(now, times.min() ?? end)
            if frameTime <= now {
                frame += 1
                history.expire(sentBefore: now - .milliseconds(700))
                let allowed = controller.mediaRate(queued: pacer.byteCount, at: now)
                encoder.target = Double(allowed.bitsPerSecond) * 0.96
                if pacer.isFull || controller.isWindowFull(history.bytesInFlight + pacer.byteCount, at: now) {
                    framesSkipped += 1
                    encoder.leaveOut()
                } else {
                    enqueue(encoder.next(), into: &pacer, at: now)
                    pacerTime = now
                }
            }
            pacer.setRate(controller.pacingRate(at: now))
            if pacer.count == 0, let cluster = controller.takeProbe(at: now) {
                enqueue(cluster, into: &pacer, at: now)
                controller.recordProbe(byteCount: cluster.byteCount)
                pacerTime = now
            }
            if pacerTime <= now { pacerTime = send(from: &pacer, for: &controller, at: now) }
            receive(at: now)
            try takeFeedback(&controller, &pacer, at: now)
        }
        cutCount = controller.cutCount
    }

    private func enqueue(_ byteCount: Int, into pacer: inout Pacer, at now: MediaTime) {
        if pacer.count == 0 { train += 1 }
        let count = (byteCount + 1199) / 1200
        for index in 0..<count {
            // The headers of IP and UDP, and of RTP with its extensions.
            let size = byteCount * (index + 1) / count - byteCount * index / count + 28 + 20
            sizes[token] = size
            pacer.enqueue(token, .deltaFrame, stream: 0, byteCount: size, at: now)
            token += 1
        }
    }

    /// Enqueues a probe cluster of padding.
    private func enqueue(_ cluster: ProbeCluster, into pacer: inout Pacer, at now: MediaTime) {
        train += 1
        let count = max(cluster.packetCount, (cluster.byteCount + 1199) / 1200)
        for _ in 0..<count {
            sizes[token] = cluster.byteCount / count
            pacer.enqueue(
                token, .padding, stream: 0, byteCount: cluster.byteCount / count, at: now,
                rate: cluster.rate)
            token += 1
        }
    }

    /// Sends the packets that may leave now, and returns the time of the next poll.
    private func send(
        from pacer: inout Pacer, for controller: inout some RateController, at now: MediaTime
    ) -> MediaTime {
        while true {
            switch pacer.poll(at: now) {
            case .wait(until: let time): return time
            case .send(let token):
                let byteCount = sizes.removeValue(forKey: token) ?? 0
                let number = history.record(.media, byteCount: byteCount, train: train, at: now)
                controller.recordSent(byteCount: byteCount, at: now)
                let wait = queue.send(number, byteCount: byteCount, at: now)
                trips.append(Trip(sent: now, byteCount: byteCount, wait: wait))
            }
        }
    }

    private func receive(at now: MediaTime) {
        while let arrival = queue.poll(at: now) {
            builder.record(arrival.number, byteCount: arrival.byteCount, arrival: arrival.time)
        }
        if builder.dueTime <= now, let byteCount = builder.prepare() {
            let feedback = [UInt8](capacity: byteCount) { output in
                builder.write(from: SSRC(1), about: SSRC(2), at: now, into: &output)
            }
            back.send(feedback.span, at: now)
        }
    }

    private func takeFeedback(
        _ controller: inout some RateController, _ pacer: inout Pacer, at now: MediaTime
    ) throws {
        var datagram: [UInt8] = []
        if controller.dueTime <= now { controller.update(at: now) }
        while back.poll(at: now, into: &datagram) != nil {
            let feedback = try TransportFeedback(parsing: try RTCPPacket(parsing: datagram.span))
            history.take(feedback) { packet, outcome in controller.record(packet, outcome, at: now) }
            let cuts = controller.cutCount
            controller.update(at: now)
            if controller.cutCount > cuts {
                for token in pacer.discard(.deltaFrame, stream: 0) { sizes[token] = nil }
            }
            rates.append((now, controller.rate.bitsPerSecond))
        }
    }
}

/// A link with a trace and a delay of 50 ms. Its queue drops by the present queue and the present capacity.
private struct BoundedQueue {
    private let trace: CapacityTrace
    private let limit: QueueLimit
    private let link: EmulatedLink
    /// The queued packets, with the time at which each has passed.
    private var waiting: [(passed: MediaTime, byteCount: Int)] = []
    private var first = 0
    private var byteCount = 0
    private var datagram: [UInt8] = []
    private static let delay = MediaDuration.milliseconds(50)

    init(_ trace: CapacityTrace, limit: QueueLimit) throws {
        (self.trace, self.limit) = (trace, limit)
        link = EmulatedLink(
            try LinkSettings(
                delay: Self.delay, rate: try trace.schedule(), queueLimit: .bytes(QueueLimit.maximumByteCount)))
    }

    var nextArrival: MediaTime { link.nextArrival ?? .distantFuture }

    /// Queues a packet, and returns the wait of its first bit; `nil` if it is dropped.
    mutating func send(_ number: SequenceNumber, byteCount: Int, at now: MediaTime) -> MediaDuration? {
        while first < waiting.count, waiting[first].passed <= now {
            self.byteCount -= waiting[first].byteCount
            first += 1
        }
        let begin = trace.service(from: max(waiting.last?.passed ?? now, now))
        guard self.byteCount == 0 || !isFull(with: byteCount, at: now) else { return nil }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        (bytes[0], bytes[1]) = (UInt8(number.rawValue >> 8), UInt8(truncatingIfNeeded: number.rawValue))
        guard case .queued(let arrival, _, _) = link.send(bytes.span, at: now) else { return nil }
        waiting.append((arrival - Self.delay, byteCount))
        self.byteCount += byteCount
        return begin - now
    }

    private func isFull(with byteCount: Int, at now: MediaTime) -> Bool {
        switch limit {
        case .time(let most), .drain(let most):
            Double((self.byteCount + byteCount) * 8) > trace.capacity(at: now) * most.seconds
        case .bytes(let most): self.byteCount > most
        }
    }

    mutating func poll(at now: MediaTime) -> (number: SequenceNumber, byteCount: Int, time: MediaTime)? {
        guard let delivery = link.poll(at: now, into: &datagram) else { return nil }
        return (SequenceNumber(UInt16(datagram[0]) << 8 | UInt16(datagram[1])), datagram.count, delivery.arrival)
    }
}

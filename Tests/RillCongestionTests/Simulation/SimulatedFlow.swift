import RillCongestion
import RillLink
import RillTestSupport

/// One sender and its receiver in a simulated call: synthetic frames, pacer, history and estimate on one side, feedback
/// on the other.
final class SimulatedFlow {
    let index: Int
    let plan: FlowPlan
    private(set) var rates: [(time: MediaTime, rate: Int)] = []
    private(set) var decisions: [(time: MediaTime, decision: RateDecision)] = []
    private(set) var cuts: [MediaTime] = []
    /// The send time of the first frame after each scene cut.
    private(set) var scenes: [MediaTime] = []
    /// When each frame was ready to be sent.
    private(set) var frameTimes: [MediaTime] = []
    private(set) var framesSkipped = 0
    private(set) var paddingByteCount = 0
    /// The packets that left, and the times at which some left: packets that leave together are one message.
    private(set) var (packetCount, messageCount) = (0, 0)
    private var lastDeparture = MediaTime(nanoseconds: .min)
    private(set) var sentByteCount = 0
    private(set) var estimate: any RateController
    private(set) var back: EmulatedLink

    private var encoder: SyntheticEncoder
    private var pacer: Pacer
    private var history = SentPacketHistory()
    private var builder = FeedbackBuilder()
    private var generator: SeededGenerator
    private var train = 0
    private var tick = 0
    private let offset: MediaDuration
    private let interval = FrameRate(30)
    private var packets: [Int: (byteCount: Int, frame: Int, train: Int)] = [:]
    private var token = 0
    private var pacerTime = MediaTime.distantFuture
    private var datagram: [UInt8] = []
    /// The share of payload in the sent bytes.
    private var payloadShare = 0.96

    private var frameTime: MediaTime {
        let time = interval.time(ofFrame: tick) + offset
        return time.seconds < plan.end ? time : .distantFuture
    }

    init(index: Int, plan: FlowPlan, back: EmulatedLink, seed: UInt64) {
        (self.index, self.plan, self.back) = (index, plan, back)
        let seed = seed &+ UInt64(index) &* 7919
        generator = SeededGenerator(seed: seed ^ 0x5EED)
        encoder = SyntheticEncoder(target: 260_000, seed: seed, hasScenes: plan.hasScenes)
        estimate =
            plan.controller?() ?? BandwidthEstimate(start: .kilobits(300), range: .kilobits(50)...plan.maximum)
        pacer = Pacer(rate: estimate.pacingRate(at: .zero))
        // Flows have different frame phases, unless a case is about equal ones.
        let phase = index == 0 ? 0 : Double.random(in: 0..<0.033, using: &generator)
        offset = .seconds(plan.start + (plan.phase ?? phase))
    }

    var nextTime: MediaTime {
        min(
            min(frameTime, pacerTime), min(builder.dueTime, estimate.dueTime),
            back.nextArrival ?? .distantFuture)
    }

    // MARK: The sender

    func makeFrames(at now: MediaTime) {
        while frameTime <= now {
            tick += 1
            history.expire(sentBefore: now - .milliseconds(700))
            let appLimit = plan.appLimit(now)
            guard appLimit > 0 else { continue }
            let allowed = Double(estimate.mediaRate(queued: pacer.byteCount, at: now).bitsPerSecond)
            encoder.target = min(allowed, appLimit) * payloadShare
            if pacer.isFull || estimate.isWindowFull(history.bytesInFlight + pacer.byteCount, at: now) {
                framesSkipped += 1
                encoder.leaveOut()
            } else {
                enqueue(encoder.next(), at: now)
            }
        }
    }

    private func enqueue(_ byteCount: Int, at now: MediaTime) {
        if encoder.isCut { scenes.append(now) }
        if pacer.count == 0 { train += 1 }
        let count = (byteCount + 1199) / 1200
        payloadShare += 0.1 * (Double(byteCount) / Double(byteCount + 48 * count) - payloadShare)
        for index in 0..<count {
            let size = byteCount * (index + 1) / count - byteCount * index / count + 28 + 20
            packets[token] = (size, frameTimes.count, train)
            pacer.enqueue(token, .deltaFrame, stream: 0, byteCount: size, at: now)
            token += 1
        }
        frameTimes.append(now)
        pacerTime = now
    }

    /// Sends the packets that the pacer releases. `transmit` puts a datagram on the forward path.
    func sendPackets(at now: MediaTime, _ transmit: (_ bytes: Span<UInt8>, _ trip: Trip) -> Void) {
        probe(at: now)
        while pacerTime <= now {
            pacer.setRate(estimate.pacingRate(at: now))
            pacer.setBurstLimit(plan.isBursting && estimate.allowsBursts ? Pacer.maximumBurst : 1)
            switch pacer.poll(at: now) {
            case .wait(until: let time): pacerTime = time
            case .send(let token):
                packetCount += 1
                if now > lastDeparture { messageCount += 1 }
                lastDeparture = now
                guard let packet = packets.removeValue(forKey: token) else { continue }
                let kind: OutgoingPacket.Kind = packet.frame < 0 ? .padding : .media
                let number = history.record(kind, byteCount: packet.byteCount, train: packet.train, at: now)
                estimate.recordSent(byteCount: packet.byteCount, at: now)
                sentByteCount += packet.byteCount
                if packet.frame < 0 { paddingByteCount += packet.byteCount }
                var bytes = [UInt8](repeating: 0, count: packet.byteCount)
                (bytes[0], bytes[1]) = (UInt8(number.rawValue >> 8), UInt8(truncatingIfNeeded: number.rawValue))
                bytes[2] = UInt8(index)
                transmit(
                    bytes.span, Trip(flow: index, frame: packet.frame, sent: now, byteCount: packet.byteCount))
            }
        }
    }

    /// Sends the requested probe cluster, of padding.
    private func probe(at now: MediaTime) {
        guard plan.isProbing, pacer.count == 0, now.seconds < plan.end, let cluster = estimate.takeProbe(at: now) else {
            return
        }
        train += 1
        let count = max(cluster.packetCount, (cluster.byteCount + 1199) / 1200)
        estimate.recordProbe(byteCount: cluster.byteCount)
        for _ in 0..<count {
            packets[token] = (cluster.byteCount / count, -1, train)
            pacer.enqueue(token, .padding, stream: 0, byteCount: cluster.byteCount / count, at: now, rate: cluster.rate)
            token += 1
        }
        pacerTime = now
    }

    func takeFeedback(at now: MediaTime) throws {
        if estimate.dueTime <= now { decide(at: now) }
        while back.poll(at: now, into: &datagram) != nil {
            // Cross traffic starts with a zero.
            guard datagram[0] != 0 else { continue }
            if let forge = plan.forge { forge(&datagram, &generator) }
            guard let packet = try? RTCPPacket(parsing: datagram.span),
                let feedback = try? TransportFeedback(parsing: packet)
            else {
                if plan.forge == nil { throw TestFailure("feedback is malformed") }
                continue
            }
            history.take(feedback) { packet, outcome in self.estimate.record(packet, outcome, at: now) }
            decide(at: now)
        }
    }

    private func decide(at now: MediaTime) {
        let count = estimate.cutCount
        estimate.update(at: now)
        if estimate.cutCount > count {
            cuts.append(now)
            for token in pacer.discard(.deltaFrame, stream: 0) { packets[token] = nil }
        }
        if let estimate = estimate as? BandwidthEstimate { decisions.append((now, estimate.decision)) }
        rates.append((now, estimate.rate.bitsPerSecond))
    }

    /// Another path from now on.
    func change(to back: EmulatedLink, isNotified: Bool, at now: MediaTime) {
        self.back = back
        guard isNotified else { return }
        history.reset()
        estimate.restart(at: now)
    }

    // MARK: The receiver

    func receive(_ datagram: borrowing [UInt8], arrival: MediaTime) {
        let number = SequenceNumber(UInt16(datagram[0]) << 8 | UInt16(datagram[1]))
        builder.record(number, byteCount: datagram.count, arrival: arrival)
    }

    func sendFeedback(at now: MediaTime) {
        guard builder.dueTime <= now, let byteCount = builder.prepare() else { return }
        let feedback = [UInt8](capacity: byteCount + 48) { output in
            builder.write(from: SSRC(1), about: SSRC(2), at: now, into: &output)
        }
        back.send(feedback.span, at: now)
    }
}

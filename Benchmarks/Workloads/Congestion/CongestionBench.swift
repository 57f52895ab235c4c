import Rill
import RillCongestion
import RillCore
import RillRTP

/// Both ends of a call's congestion control, as a session drives them, without packets' bytes: pacer, history and
/// estimate, and the receiver's feedback, over a link of 2.5 Mbit/s that loses one packet of a hundred.
struct CongestionBench: ~Copyable {
    private var sender = BenchSender()
    private var builder = FeedbackBuilder()
    private var link = BenchLink()
    private var now = MediaTime.zero
    /// The feedback on its way, and when it arrives.
    private var feedback: [UInt8] = []
    private var feedbackTime = MediaTime.distantFuture

    /// Shorter than the time between two feedbacks: one is on its way at most.
    private static let delay = MediaDuration.milliseconds(40)

    init() { feedback.reserveCapacity(2048) }

    /// Runs until `count` further packets have been sent.
    mutating func run(packets count: Int) -> Int {
        let end = sender.sentCount + count
        while sender.sentCount < end { step() }
        return sender.bitrateSum
    }

    private mutating func step() {
        // Packets are received late, with the time at which they arrived: that saves the benchmark a step for each.
        now = max(now, min(sender.nextTime, min(feedbackTime, builder.dueTime)))
        while link.nextArrival <= now { receive() }
        if feedbackTime <= now { takeFeedback() }
        if builder.dueTime <= now { sendFeedback() }
        sender.poll(at: now, &link)
    }

    private mutating func receive() {
        let packet = link.receive()
        if !packet.isLost { builder.record(packet.number, byteCount: packet.byteCount, arrival: packet.arrival) }
    }

    private mutating func sendFeedback() {
        guard let byteCount = builder.prepare() else { return }
        feedback.append(addingCapacity: byteCount) { output in
            builder.write(from: SSRC(1), about: SSRC(2), at: now, into: &output)
        }
        feedbackTime = now + Self.delay
    }

    private mutating func takeFeedback() {
        feedbackTime = .distantFuture
        sender.take(feedback, at: now)
        feedback.removeAll(keepingCapacity: true)
    }
}

/// The sender: frames of ±37 % of what the estimate allows, in packets of at most 1228 bytes on the path.
private struct BenchSender: ~Copyable {
    private(set) var sentCount = 0
    private(set) var bitrateSum = 0
    private var estimate = BandwidthEstimate(start: .kilobits(300), range: .kilobits(50) ... .megabits(5))
    private var history = SentPacketHistory()
    private var pacer = Pacer(rate: .kilobits(450))
    private var frameTime = MediaTime.zero
    private var paceTime = MediaTime.distantFuture
    private var train = 0

    private static let frameInterval = MediaDuration(nanoseconds: 33_333_333)
    private static let overhead = 48
    private static let payload = 1180

    var nextTime: MediaTime { min(min(frameTime, paceTime), estimate.dueTime) }

    mutating func poll(at now: MediaTime, _ link: inout BenchLink) {
        if estimate.dueTime <= now { estimate.update(at: now) }
        if frameTime <= now { makeFrame(at: now, &link) }
        if paceTime <= now { release(at: now, &link) }
    }

    private mutating func makeFrame(at now: MediaTime, _ link: inout BenchLink) {
        frameTime += Self.frameInterval
        history.expire(sentBefore: now - .milliseconds(700))
        guard !pacer.isFull, !estimate.isWindowFull(history.bytesInFlight + pacer.byteCount, at: now) else { return }
        let rate = estimate.mediaRate(queued: pacer.byteCount, at: now)
        var left = rate.bitsPerSecond / 240 * (645 + link.random(below: 758)) / 1024
        if pacer.count == 0 { train += 1 }
        while left > 0 {
            let size = min(left, Self.payload)
            pacer.enqueue(size, .deltaFrame, stream: 0, byteCount: size + Self.overhead, at: now)
            left -= size
        }
        paceTime = now
    }

    private mutating func release(at now: MediaTime, _ link: inout BenchLink) {
        pacer.setRate(estimate.pacingRate(at: now))
        sending: while true {
            switch pacer.poll(at: now) {
            case .wait(until: let time):
                paceTime = time
                break sending
            case .send(let size):
                let byteCount = size + Self.overhead
                estimate.recordSent(byteCount: byteCount, at: now)
                let number = history.record(.media, byteCount: byteCount, train: train, at: now)
                link.send(number, byteCount: byteCount, at: now)
                sentCount += 1
            }
        }
        if pacer.count == 0, estimate.takeProbe(at: now) != nil { bitrateSum += 1 }
    }

    mutating func take(_ datagram: [UInt8], at now: MediaTime) {
        do {
            let packet = try RTCPPacket(parsing: datagram.span)
            guard case .transportFeedback(let feedback) = try RTCPMessage(parsing: packet) else { return }
            estimate.take(feedback, of: &history, at: now)
            bitrateSum &+= estimate.rate.bitsPerSecond
        } catch {
            fatalError("feedback is malformed: \(error)")
        }
    }
}

/// A link with a queue: 2.5 Mbit/s, 50 ms, one packet of a hundred lost. It holds 4096 packets.
private struct BenchLink {
    struct Packet {
        var number = SequenceNumber(0)
        var isLost = false
        var byteCount = 0
        var arrival = MediaTime.zero
    }

    private var packets = [Packet](repeating: Packet(), count: 4096)
    private var (first, end) = (0, 0)
    private var freeTime = MediaTime.zero
    private(set) var nextArrival = MediaTime.distantFuture
    private var state: UInt64 = 1

    mutating func random(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(truncatingIfNeeded: ((state >> 33) &* UInt64(limit)) >> 31)
    }

    mutating func send(_ number: SequenceNumber, byteCount: Int, at now: MediaTime) {
        // 2.5 Mbit/s: 3200 ns a byte.
        freeTime = max(freeTime, now) + MediaDuration(nanoseconds: 3200 &* Int64(byteCount))
        let arrival = freeTime + .milliseconds(50)
        packets[end & 4095] = Packet(
            number: number, isLost: random(below: 100) == 0, byteCount: byteCount, arrival: arrival)
        if first == end { nextArrival = arrival }
        end += 1
    }

    mutating func receive() -> Packet {
        let packet = packets[first & 4095]
        first += 1
        nextArrival = first == end ? .distantFuture : packets[first & 4095].arrival
        return packet
    }
}

import RillCore
import RillPacketSupport
import RillRTP

@testable import RillReceive

/// A stream over a path whose packets each have a delay of their own, so that they overtake each other, with a sender
/// that retransmits: in virtual time.
struct ReorderingCall {
    /// The stream and the path.
    struct Plan {
        /// Media in bits per second.
        var rate = 2e6
        var framesPerSecond = 30
        /// The standard deviation of each packet's delay in milliseconds, by time in seconds.
        var sigma: @Sendable (Double) -> Double = { _ in 30 }
        /// The share of all packets that is lost, retransmissions included.
        var loss = 0.0
        /// The mean delay of the forward path, and the delay of the reverse path, in milliseconds.
        var delay = (forward: 50.0, back: 50.0)
        var seconds = 60.0
        var seed: UInt64 = 1
        /// Whether retransmissions have a stream of their own (RFC 4588).
        var hasRetransmissionStream = true
    }

    /// What happened to the packets of a span of time.
    struct Counts {
        /// Packets of media that were sent.
        var sent = 0
        var lost = 0
        /// Retransmissions of packets whose original arrived too.
        var needless = 0
        /// Retransmissions of a lost packet of which one had already been sent that arrived.
        var doubled = 0
        var retransmissions = 0
        /// From when lost packets would have arrived, without jitter, until they were repaired: in milliseconds.
        var repairs: [Double] = []
        /// Lost packets that never arrived.
        var unrepaired = 0

        var needlessShare: Double { Double(needless) / Double(max(1, sent)) }
        /// What of the retransmissions was needless.
        var needlessOfRetransmissions: Double { Double(needless) / Double(max(1, retransmissions)) }
        func repair(_ quantile: Double) -> Double {
            let sorted = repairs.sorted()
            return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(quantile * Double(sorted.count)))]
        }

        static func += (all: inout Counts, more: Counts) {
            all.sent += more.sent
            all.lost += more.lost
            all.needless += more.needless
            all.doubled += more.doubled
            all.retransmissions += more.retransmissions
            all.repairs += more.repairs
            all.unrepaired += more.unrepaired
        }
    }

    private struct SentPacket {
        var bytes: [UInt8]
        var time: Double
        var isLost: Bool
        var isProvided = false
        var isRepaired = false
        var lastRetransmission = -Double.infinity
    }

    private enum Event {
        case frame(Int)
        case arrival(Int, PacketOrigin)
        case request([UInt16])
    }

    private let plan: Plan
    private var random: SeededGenerator
    private var stream = SyntheticStream()
    private var sent: [SentPacket] = []
    private var counts: [Counts]
    private var events: [(time: Double, event: Event)] = []
    private let first: UInt16
    private var requestCount = 0

    private init(_ plan: Plan) {
        self.plan = plan
        random = SeededGenerator(seed: plan.seed)
        counts = Array(repeating: Counts(), count: Int(plan.seconds.rounded(.up)))
        first = stream.sequence.rawValue
    }

    /// Makes the call.
    ///
    /// - Returns: the counts of each second, by when packets were sent for the first time.
    static func run(_ plan: Plan) -> [Counts] {
        var call = ReorderingCall(plan)
        var settings = JitterBufferSettings(payloadType: PayloadType(96))
        settings.roundTripTime = .milliseconds(Int(plan.delay.forward + plan.delay.back))
        let receiver = VirtualReceiver(settings)
        receiver.buffer = JitterBuffer(settings)
        receiver.buffer.roundTripTime = settings.roundTripTime
        call.schedule(.frame(0), at: 0)
        while let (time, event) = call.next() {
            receiver.pass(until: .milliseconds(time) - MediaDuration(nanoseconds: 1))
            call.collectRequests(of: receiver)
            // The receiver may have asked for something that is due before.
            if let earliest = call.events.map(\.time).min(), earliest < time {
                call.schedule(event, at: time)
                continue
            }
            call.handle(event, at: time, receiver)
            call.collectRequests(of: receiver)
        }
        for packet in call.sent where packet.isLost && !packet.isRepaired { call.count(packet) { $0.unrepaired += 1 } }
        return call.counts
    }

    private mutating func next() -> (Double, Event)? {
        guard let index = events.indices.min(by: { events[$0].time < events[$1].time }) else { return nil }
        let next = events[index]
        events.swapAt(index, events.count - 1)
        events.removeLast()
        return next
    }

    private mutating func schedule(_ event: Event, at time: Double) { events.append((time, event)) }

    private mutating func collectRequests(of receiver: VirtualReceiver) {
        for nack in receiver.nacks[requestCount...] {
            schedule(.request(nack.packets), at: Double(nack.time.nanoseconds) / 1e6 + plan.delay.back)
        }
        requestCount = receiver.nacks.count
    }

    private mutating func count(_ packet: SentPacket, _ change: (inout Counts) -> Void) {
        change(&counts[min(counts.count - 1, Int(packet.time / 1000))])
    }

    private mutating func handle(_ event: Event, at time: Double, _ receiver: VirtualReceiver) {
        switch event {
        case .frame(let index): send(index, at: time)
        case .arrival(let index, let origin):
            receiver.insert(
                sent[index].bytes, plan.hasRetransmissionStream ? origin : .network, at: .milliseconds(time))
            guard origin == .retransmission, sent[index].isLost, !sent[index].isRepaired else { return }
            sent[index].isRepaired = true
            let repair = time - sent[index].time - plan.delay.forward
            count(sent[index]) { $0.repairs.append(repair) }
        case .request(let numbers):
            for number in numbers { retransmit(number, at: time) }
        }
    }

    /// Sends a frame of a size that varies by a third, paced at 1.5 times the rate.
    private mutating func send(_ index: Int, at time: Double) {
        let mean = plan.rate / 8 / Double(plan.framesPerSecond)
        let byteCount = mean * (0.67 + 0.66 * random.unitInterval())
        let packetCount = max(1, Int((byteCount / 1200).rounded(.up)))
        let spacing = byteCount / Double(packetCount) * 8 / max(3e5, plan.rate * 1.5) * 1000
        let ticks = Int64(90_000 / plan.framesPerSecond)
        for (place, bytes) in stream.frame(isKey: index == 0, packets: packetCount, ticks: ticks).packets.enumerated() {
            let sendTime = time + Double(place) * spacing
            let isLost = random.unitInterval() < plan.loss
            sent.append(SentPacket(bytes: bytes, time: sendTime, isLost: isLost, isProvided: !isLost))
            count(sent[sent.count - 1]) {
                $0.sent += 1
                $0.lost += isLost ? 1 : 0
            }
            let arrival = sendTime + delay(at: sendTime)
            if !isLost { schedule(.arrival(sent.count - 1, .network), at: arrival) }
        }
        let next = Double(index + 1) * 1000 / Double(plan.framesPerSecond)
        if next < plan.seconds * 1000 { schedule(.frame(index + 1), at: next) }
    }

    /// At most once in three quarters of a round trip, as `RTPStreamSender` does.
    private mutating func retransmit(_ number: UInt16, at time: Double) {
        var index = Int(number &- first)
        while index + 65536 < sent.count { index += 65536 }
        guard index < sent.count, (0..<2000).contains(time - sent[index].time),
            time - sent[index].lastRetransmission >= (plan.delay.forward + plan.delay.back) * 0.75
        else { return }
        sent[index].lastRetransmission = time
        let (isLost, arrival) = (random.unitInterval() < plan.loss, time + delay(at: time))
        let original = sent[index]
        count(original) {
            $0.retransmissions += 1
            if !original.isLost { $0.needless += 1 } else if original.isProvided { $0.doubled += 1 }
        }
        guard !isLost else { return }
        sent[index].isProvided = true
        schedule(.arrival(index, .retransmission), at: arrival)
    }

    /// A Gaussian, as the sum of twelve uniform numbers; never negative.
    private mutating func delay(at time: Double) -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += random.unitInterval() }
        return max(0, plan.delay.forward + sum * plan.sigma(time / 1000))
    }
}

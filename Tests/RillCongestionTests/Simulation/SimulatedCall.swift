import RillCongestion
import RillLink
import RillTestSupport

/// Senders of synthetic frames over one emulated bottleneck, in virtual time.
struct SimulatedCall {
    let flows: [SimulatedFlow]
    private(set) var judge: QueueJudge
    let plan: CallPlan

    private static let crossFlow: UInt8 = 255
    private var forward: EmulatedLink
    private let seed: UInt64
    private var cross: (time: MediaTime, traffic: CrossTraffic)?
    private var crossBack: (time: MediaTime, traffic: CrossTraffic)?
    private var capacityAfter: (time: MediaTime, rate: Double)?
    private var changeTime: MediaTime
    private var datagram: [UInt8] = []

    /// Runs a call.
    init(_ plan: CallPlan, seed: UInt64) throws {
        (self.plan, self.seed) = (plan, seed)
        forward = EmulatedLink(
            try LinkSettings(notation: "\(plan.forward),queue=\(plan.queue),delay=\(plan.delay),seed=\(seed)"))
        judge = QueueJudge(capacity: plan.capacity)
        flows = try plan.flows.indices.map { index in
            let back = EmulatedLink(
                try LinkSettings(notation: "\(plan.back),seed=\(seed + 1000 * UInt64(index + 1))"))
            return SimulatedFlow(index: index, plan: plan.flows[index], back: back, seed: seed)
        }
        cross = plan.cross.map { (.zero + .seconds($0.start), $0) }
        crossBack = plan.crossBack.map { (.zero + .seconds($0.start), $0) }
        changeTime = plan.change.map { .zero + .seconds($0.time) } ?? .distantFuture
        try run()
    }

    private mutating func run() throws {
        var now = MediaTime.zero
        let end = MediaTime.zero + .seconds(plan.seconds)
        while now < end {
            var next = min(forward.nextArrival ?? .distantFuture, changeTime)
            for flow in flows { next = min(next, flow.nextTime) }
            next = min(next, min(cross?.time ?? .distantFuture, crossBack?.time ?? .distantFuture))
            now = max(now, min(next, end))
            judge.advance(to: now)
            if changeTime <= now { try changePath(at: now) }
            sendCrossTraffic(at: now)
            for index in flows.indices {
                try flows[index].takeFeedback(at: now)
                flows[index].makeFrames(at: now)
                flows[index].sendPackets(at: now) { bytes, trip in
                    judge.add(trip, isDropped: SimulatedCall.isDropped(forward.send(bytes, at: now)), at: now)
                }
            }
            while let delivery = forward.poll(at: now, into: &datagram) {
                guard datagram[2] != Self.crossFlow else { continue }
                flows[Int(datagram[2])].receive(datagram, arrival: delivery.arrival)
            }
            for index in flows.indices { flows[index].sendFeedback(at: now) }
        }
    }

    private static func isDropped(_ outcome: SendOutcome) -> Bool {
        if case .lost(.queueFull) = outcome { true } else { false }
    }

    /// The capacity of the bottleneck at a time, in bits per second.
    func capacity(at time: MediaTime) -> Double {
        if let capacityAfter, time >= capacityAfter.time { capacityAfter.rate } else { plan.capacity(time) }
    }

    private mutating func sendCrossTraffic(at now: MediaTime) {
        while let (time, traffic) = cross, time <= now {
            var bytes = [UInt8](repeating: 0, count: traffic.byteCount)
            bytes[2] = Self.crossFlow
            let trip = Trip(flow: -1, frame: -1, sent: now, byteCount: traffic.byteCount)
            judge.add(trip, isDropped: Self.isDropped(forward.send(bytes.span, at: now)), at: now)
            cross = time.seconds < traffic.end ? (time + traffic.interval, traffic) : nil
        }
        while let (time, traffic) = crossBack, time <= now {
            let bytes = [UInt8](repeating: 0, count: traffic.byteCount)
            flows[0].back.send(bytes.span, at: now)
            crossBack = time.seconds < traffic.end ? (time + traffic.interval, traffic) : nil
        }
    }

    private mutating func changePath(at now: MediaTime) throws {
        changeTime = .distantFuture
        guard let change = plan.change else { return }
        forward = EmulatedLink(try LinkSettings(notation: "\(change.forward),queue=\(plan.queue),seed=\(seed)"))
        let back = EmulatedLink(try LinkSettings(notation: "\(change.back),seed=\(seed + 1)"))
        judge.change(to: change.capacity, at: now)
        capacityAfter = (now, change.capacity)
        flows[0].change(to: back, isNotified: change.isNotified, at: now)
    }
}

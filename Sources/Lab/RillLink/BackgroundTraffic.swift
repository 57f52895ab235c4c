import RillCore

/// What shares a bottleneck with the links: cross traffic, and CUBIC flows. It is simulated up to the time of the next
/// datagram, in the order of time; at equal times cross traffic is first, then the flows in their order.
struct BackgroundTraffic {
    private var cross: CrossTraffic?
    private var flows: [CUBICSender]

    /// Creates what the settings have; `nil` if that is nothing.
    init?(_ settings: LinkSettings) {
        guard settings.crossTraffic != nil || !settings.cubicFlows.isEmpty else { return nil }
        cross = CrossTraffic(settings)
        flows = settings.cubicFlows.map { CUBICSender($0) }
    }

    /// Sends what is due by `now`.
    mutating func advance(
        to now: MediaTime, through queue: inout BottleneckQueue, _ statistics: inout BottleneckStatistics
    ) {
        while true {
            var (time, index) = (cross?.next ?? .distantFuture, -1)
            for flow in flows.indices where flows[flow].next < time { (time, index) = (flows[flow].next, flow) }
            guard time <= now, time < .distantFuture else { return }
            if index < 0 {
                cross?.send(through: &queue, &statistics)
            } else {
                flows[index].act(through: &queue, &statistics.cubicFlows[index])
            }
        }
    }
}

/// A sender of constant bitrate that shares a bottleneck: it sends a packet whenever the schedule has carried the bits
/// of one, and never learns what becomes of it.
struct CrossTraffic {
    private var schedule: RateServer
    private let packetByteCount: Int
    /// When the next packet comes; `.distantFuture` if none does.
    private(set) var next: MediaTime

    init?(_ settings: LinkSettings) {
        guard let rate = settings.crossTraffic else { return nil }
        schedule = RateServer(rate)
        packetByteCount = settings.crossPacketByteCount
        // The first packet comes once its bits have.
        schedule.advance(to: .zero)
        next = schedule.serve(packetByteCount)
    }

    /// Sends the packet that is due.
    mutating func send(through queue: inout BottleneckQueue, _ statistics: inout BottleneckStatistics) {
        statistics.crossSent += 1
        switch queue.enqueue(byteCount: packetByteCount, at: next) {
        case .passes: statistics.crossBytes += packetByteCount
        case .full: statistics.crossDropped += 1
        }
        next = schedule.serve(packetByteCount)
    }
}

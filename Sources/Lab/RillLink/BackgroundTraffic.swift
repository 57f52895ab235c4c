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

import RillCore

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

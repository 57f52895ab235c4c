import Rill
import RillCore
import RillLink

/// A network of the congestion table, and the windows of time that are judged.
struct CongestionCase {
    var name: String
    /// The forward direction; header bytes, queue and delay are added.
    var network: String
    var seconds: Int
    var windows: [Window]
    /// The backward direction.
    var back = "rate=10M,headers=28,delay=50ms"
    /// When the capacity rises, and from where the time until 90 % of it is measured.
    var rises: [Step] = []
    /// When the capacity falls.
    var drops: [Step] = []

    /// A window in which the capacity is constant, in seconds.
    struct Window {
        var from: Int
        var to: Int
        /// Bits per second.
        var capacity: Double
        /// Whether the high layer's pictures are compared with their source, and with those of the encoder alone.
        var isQualityMeasured = false
    }

    func isQualityMeasured(at time: MediaTime) -> Bool {
        windows.contains {
            $0.isQualityMeasured && time.seconds >= Double($0.from) && time.seconds < Double($0.to)
        }
    }

    /// A change of the capacity.
    struct Step {
        var at: Int
        var capacity: Double
    }

    /// The same case cut off: only windows and steps that it still has, and one window of its second half if that has
    /// none.
    func limited(to limit: Int) -> CongestionCase {
        guard limit < seconds else { return self }
        var trial = self
        trial.seconds = limit
        trial.windows = windows.filter { $0.to <= limit }
        if trial.windows.isEmpty { trial.windows = [Window(from: limit / 2, to: limit, capacity: windows[0].capacity)] }
        trial.rises = rises.filter { $0.at < limit }
        trial.drops = drops.filter { $0.at < limit }
        return trial
    }

    var forward: String { "\(network),headers=28,queue=drain/300ms,delay=50ms" }

    /// The cases with one flow.
    static let all: [CongestionCase] = [
        CongestionCase(
            name: "start", network: "rate=1M", seconds: 60, windows: [Window(from: 30, to: 60, capacity: 1e6)],
            rises: [Step(at: 0, capacity: 1e6)]),
        CongestionCase(
            name: "steps", network: "rate=1M/2500k@40s/600k@60s/1M@80s", seconds: 85,
            windows: [Window(from: 20, to: 40, capacity: 1e6), Window(from: 70, to: 80, capacity: 6e5)],
            rises: [Step(at: 40, capacity: 2.5e6)], drops: [Step(at: 60, capacity: 6e5)]),
        CongestionCase(
            name: "drop", network: "rate=2500k/500k@30s/2500k@60s", seconds: 100,
            windows: [
                Window(from: 20, to: 30, capacity: 2.5e6),
                Window(from: 40, to: 60, capacity: 5e5, isQualityMeasured: true),
                Window(from: 85, to: 100, capacity: 2.5e6),
            ],
            rises: [Step(at: 60, capacity: 2.5e6)], drops: [Step(at: 30, capacity: 5e5)]),
        loss(0), loss(1), loss(2), loss(5), loss(10),
        CongestionCase(
            name: "jitter in order", network: "rate=2M,jitter=30ms", seconds: 60,
            windows: [Window(from: 30, to: 60, capacity: 2e6)]),
        CongestionCase(
            name: "jitter overtaking", network: "rate=2M,jitter=30ms,order=by-delay", seconds: 60,
            windows: [Window(from: 30, to: 60, capacity: 2e6)]),
        CongestionCase(
            name: "narrow return", network: "rate=2M", seconds: 60, windows: [Window(from: 30, to: 60, capacity: 2e6)],
            back: "rate=100k,cross=110k,headers=28,queue=drain/300ms,delay=50ms"),
    ]

    private static func loss(_ percent: Int) -> CongestionCase {
        CongestionCase(
            name: "loss \(percent) %", network: percent == 0 ? "rate=2M" : "rate=2M,loss=\(percent)%", seconds: 60,
            windows: [Window(from: 30, to: 60, capacity: 2e6)], rises: percent == 0 ? [Step(at: 0, capacity: 2e6)] : [])
    }
}

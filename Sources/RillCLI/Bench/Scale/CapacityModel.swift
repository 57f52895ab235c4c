/// Predicts what a process of many streams takes: so much for each layer, packet and pixel, and more or less while the
/// machine's other threads are at work.
///
/// Pixels cost more then, since threads share cores, caches and memory; layers and packets may cost less, since a thread
/// that is still awake need not be woken for the next one. With `P` and `W`, what pixels and the rest would take in a second
/// on a machine that does nothing else, on `T` hardware threads, the process takes
///
///     C = P (1 + sharing · u) + W (1 + waking · u)        u = (C + F) / T
///
/// where `F` is what others take; it is solved for `C`.
struct CapacityModel: Codable, Equatable, Sendable {
    /// CPU seconds of a layer in a second, whatever it carries.
    var perLayer: Double
    /// CPU seconds of a packet, with the coded bytes in it.
    var perPacket: Double
    /// CPU seconds of a pixel of a stream at full size.
    var perHighPixel: Double
    /// CPU seconds of a pixel of a thumbnail.
    var perLowPixel: Double
    /// By what part pixels cost more while all threads are busy.
    var sharing: Double
    /// By what part layers and packets cost more while all threads are busy; below zero, less.
    var waking: Double
    /// Hardware threads of the machine.
    var threads: Int

    /// Where all threads are this busy, no more is promised: what is left is the system's.
    static let fullLoad = 0.95

    /// What a load takes of the CPU, in seconds a second; infinite where it is more than the threads have.
    func cpu(of load: StreamLoad, feederCPU: Double = 0) -> Double {
        let rest = perLayer * load.layers + perPacket * load.packets
        let pixels = perHighPixel * load.highPixels + perLowPixel * load.lowPixels
        let growth = (sharing * pixels + waking * rest) / Double(threads)
        guard growth < 1 else { return .infinity }
        return (pixels + rest + growth * feederCPU) / (1 - growth)
    }

    /// Whether a load leaves the machine's threads something to spare.
    func holds(_ load: StreamLoad, feederCPU: Double = 0) -> Bool {
        cpu(of: load, feederCPU: feederCPU) + feederCPU <= CapacityModel.fullLoad * Double(threads)
    }

    private init(costs: [Double], sharing: Double, waking: Double, threads: Int) {
        (perLayer, perPacket, perHighPixel, perLowPixel) = (costs[0], costs[1], costs[2], costs[3])
        (self.sharing, self.waking, self.threads) = (sharing, waking, threads)
    }

    /// What pixels may cost more: a thread that shares its core with one that never rests has half of it.
    private static let sharings = stride(from: 0.0, through: 1.0, by: 0.05)
    /// What the rest may cost more or less.
    private static let wakings = stride(from: -0.8, through: 1.0, by: 0.1)

    /// The model that comes closest to the least that was measured of each load, in parts of it; no cost is negative.
    ///
    /// - Returns: `nil` where nothing was measured.
    init?(fitting measurements: [LoadMeasurement], threads: Int) {
        let usable = measurements.filter { $0.leastCPU > 0 }
        let ones = [Double](repeating: 1, count: usable.count)
        var best: (model: CapacityModel, error: Double)?
        for sharing in CapacityModel.sharings {
            for waking in CapacityModel.wakings {
                let rows = usable.map { measurement in
                    let cpu = measurement.leastCPU
                    let busy = (cpu + measurement.feederCPU) / Double(threads)
                    let (pixels, rest) = ((1 + sharing * busy) / cpu, (1 + waking * busy) / cpu)
                    let load = measurement.load
                    return [
                        load.layers * rest, load.packets * rest, load.highPixels * pixels, load.lowPixels * pixels,
                    ]
                }
                guard let (costs, error) = NonNegativeFit.solve(rows, ones) else { continue }
                // Of two that fit alike the one that assumes less.
                let judged = error + 1e-6 * (sharing.magnitude + waking.magnitude)
                if judged < best?.error ?? .infinity {
                    best = (CapacityModel(costs: costs, sharing: sharing, waking: waking, threads: threads), judged)
                }
            }
        }
        guard let best else { return nil }
        self = best.model
    }
}

/// Predicts what a process of many streams takes: so much for each layer, packet and pixel, and more while the machine's
/// other threads are at work, which share cores, caches and memory with it.
///
/// With a load that would take `L` seconds a second on a machine that does nothing else, on `T` hardware threads, and
/// `σ` by how much a thread is slowed by others that never rest, it takes `C = L (1 + σ (C + F) / T)`, where `F` is what
/// others take; solved for `C`.
struct CapacityModel: Codable, Equatable, Sendable {
    /// CPU seconds of a layer in a second, whatever it carries.
    var perLayer: Double
    /// CPU seconds of a packet, with the coded bytes in it.
    var perPacket: Double
    /// CPU seconds of a pixel of a stream at full size.
    var perHighPixel: Double
    /// CPU seconds of a pixel of a thumbnail.
    var perLowPixel: Double
    /// By what part a thread is slowed while all others are busy.
    var sharing: Double
    /// Hardware threads of the machine.
    var threads: Int

    /// Where all threads are this busy, no more is promised: what is left is the system's.
    static let fullLoad = 0.95

    /// What a load takes of the CPU, in seconds a second; infinite where it is more than the threads have.
    func cpu(of load: StreamLoad, feederCPU: Double = 0) -> Double {
        let alone = zip(costs, load.quantities).reduce(0) { $0 + $1.0 * $1.1 }
        let rest = 1 - sharing * alone / Double(threads)
        guard rest > 0 else { return .infinity }
        return alone * (1 + sharing * feederCPU / Double(threads)) / rest
    }

    /// Whether a load leaves the machine's threads something to spare.
    func holds(_ load: StreamLoad, feederCPU: Double = 0) -> Bool {
        cpu(of: load, feederCPU: feederCPU) + feederCPU <= CapacityModel.fullLoad * Double(threads)
    }

    private var costs: [Double] { [perLayer, perPacket, perHighPixel, perLowPixel] }

    private init(costs: [Double], sharing: Double, threads: Int) {
        (perLayer, perPacket, perHighPixel, perLowPixel) = (costs[0], costs[1], costs[2], costs[3])
        (self.sharing, self.threads) = (sharing, threads)
    }

    /// The model that comes closest to what was measured, in parts of each measurement; no cost is negative.
    ///
    /// - Returns: `nil` where nothing was measured.
    init?(fitting measurements: [LoadMeasurement], threads: Int) {
        let usable = measurements.filter { $0.cpu > 0 }
        // The other threads slow a thread by at most as much as if it had to give way to them.
        let candidates = stride(from: 0.0, through: 1.0, by: 0.02).compactMap { sharing -> (CapacityModel, Double)? in
            let rows = usable.map { measurement in
                let busy = (measurement.cpu + measurement.feederCPU) / Double(threads)
                return measurement.load.quantities.map { $0 * (1 + sharing * busy) / measurement.cpu }
            }
            guard let (costs, error) = NonNegativeFit.solve(rows, [Double](repeating: 1, count: rows.count)) else {
                return nil
            }
            return (CapacityModel(costs: costs, sharing: sharing, threads: threads), error)
        }
        guard let best = candidates.min(by: { $0.1 < $1.1 }) else { return nil }
        self = best.0
    }
}

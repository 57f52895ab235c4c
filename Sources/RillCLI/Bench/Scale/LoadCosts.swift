/// What a process of many streams takes of something that its threads do not compete for: instructions a second, or bytes.
/// It is the sum of its streams.
struct LoadCosts: Codable, Equatable, Sendable {
    /// Of the process, whatever it carries.
    var process = 0.0
    var perLayer = 0.0
    var perPacket = 0.0
    /// Of a pixel in a second of streams at full size, and of thumbnails.
    var perHighPixel = 0.0
    var perLowPixel = 0.0

    func total(of load: StreamLoad) -> Double {
        process + perLayer * load.layers + perPacket * load.packets + perHighPixel * load.highPixels
            + perLowPixel * load.lowPixels
    }

    /// Instructions in a second: each layer, packet and pixel has its own.
    ///
    /// - Returns: `nil` where they were not counted of all loads.
    init?(instructionsOf measurements: [LoadMeasurement]) {
        guard
            let costs = LoadCosts.fit(
                measurements.map {
                    let load = $0.load
                    return ([0, load.layers, load.packets, load.highPixels, load.lowPixels], $0.instructions)
                })
        else { return nil }
        self = costs
    }

    /// Bytes: the program's, each layer's, and pictures, which are held as long as streams last. Packets that wait have their
    /// place from the beginning.
    init?(memoryOf measurements: [LoadMeasurement]) {
        guard
            let costs = LoadCosts.fit(
                measurements.map {
                    ([1, $0.load.layers, 0, $0.load.highPixels, $0.load.lowPixels], $0.memoryBytes.map(Double.init))
                })
        else { return nil }
        self = costs
    }

    /// The costs that come closest to what was measured, in parts of each measurement; none is negative.
    private static func fit(_ measurements: [(row: [Double], value: Double?)]) -> LoadCosts? {
        let rows = measurements.compactMap { measurement in
            measurement.value.flatMap { value in value > 0 ? measurement.row.map { $0 / value } : nil }
        }
        guard rows.count == measurements.count,
            let costs = NonNegativeFit.solve(rows, rows.map { _ in 1 })?.unknowns
        else { return nil }
        return LoadCosts(
            process: costs[0], perLayer: costs[1], perPacket: costs[2], perHighPixel: costs[3], perLowPixel: costs[4])
    }

    private init(
        process: Double, perLayer: Double, perPacket: Double, perHighPixel: Double, perLowPixel: Double
    ) {
        (self.process, self.perLayer, self.perPacket) = (process, perLayer, perPacket)
        (self.perHighPixel, self.perLowPixel) = (perHighPixel, perLowPixel)
    }
}

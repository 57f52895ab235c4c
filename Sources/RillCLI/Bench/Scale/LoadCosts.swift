/// What a process of many streams takes of something that its threads do not compete for: instructions a second, or bytes.
/// It is the sum of its streams.
struct LoadCosts: Codable, Equatable, Sendable {
    /// Of the process, whatever it carries.
    var process = 0.0
    /// Of a stream, whatever it carries: one at full size, and a thumbnail.
    var perHighLayer = 0.0
    var perLowLayer = 0.0
    var perPacket = 0.0
    /// Of a pixel in a second of streams at full size, and of thumbnails.
    var perHighPixel = 0.0
    var perLowPixel = 0.0

    func total(of load: StreamLoad) -> Double {
        process + perHighLayer * load.highLayers + perLowLayer * load.lowLayers + perPacket * load.packets
            + perHighPixel * load.highPixels + perLowPixel * load.lowPixels
    }

    /// Instructions in a second: each layer, packet and pixel has its own.
    ///
    /// - Returns: `nil` where they were not counted of all loads.
    init?(instructionsOf measurements: [LoadMeasurement]) {
        guard
            let costs = LoadCosts.fit(
                measurements.map {
                    let load = $0.load
                    return ([load.layers, load.packets, load.highPixels, load.lowPixels], $0.instructions)
                })
        else { return nil }
        (perHighLayer, perLowLayer, perPacket, perHighPixel, perLowPixel) = (
            costs[0], costs[0], costs[1], costs[2], costs[3]
        )
    }

    /// Bytes: the program's, each stream's, and pictures, which are held as long as streams last and have thirty in a second
    /// at full size. Thumbnails are of one size, whatever comes of them in a second. Packets that wait have their place from
    /// the beginning.
    init?(memoryOf measurements: [LoadMeasurement]) {
        guard
            let costs = LoadCosts.fit(
                measurements.map {
                    let load = $0.load
                    return ([1, load.highLayers, load.lowLayers, load.highPixels], $0.memoryBytes.map(Double.init))
                })
        else { return nil }
        (process, perHighLayer, perLowLayer, perHighPixel) = (costs[0], costs[1], costs[2], costs[3])
    }

    /// The costs that come closest to what was measured, in parts of each measurement; none is negative.
    private static func fit(_ measurements: [(row: [Double], value: Double?)]) -> [Double]? {
        let rows = measurements.compactMap { measurement in
            measurement.value.flatMap { value in value > 0 ? measurement.row.map { $0 / value } : nil }
        }
        guard rows.count == measurements.count else { return nil }
        return NonNegativeFit.solve(rows, rows.map { _ in 1 })?.unknowns
    }
}

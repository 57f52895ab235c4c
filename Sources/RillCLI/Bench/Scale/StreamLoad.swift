/// What a process of many streams has to do in a second: what its cost is predicted from.
struct StreamLoad: Codable, Equatable, Sendable {
    /// Streams at full size that are encoded or decoded.
    var highLayers = 0.0
    /// Thumbnails that are.
    var lowLayers = 0.0
    /// Packets sent or received.
    var packets = 0.0
    /// Pixels of streams at full size.
    var highPixels = 0.0
    /// Pixels of thumbnails, which encoders take more pains with.
    var lowPixels = 0.0

    /// Streams of either kind.
    var layers: Double { highLayers + lowLayers }

    static func + (a: StreamLoad, b: StreamLoad) -> StreamLoad {
        StreamLoad(
            highLayers: a.highLayers + b.highLayers, lowLayers: a.lowLayers + b.lowLayers,
            packets: a.packets + b.packets, highPixels: a.highPixels + b.highPixels,
            lowPixels: a.lowPixels + b.lowPixels)
    }

    static func * (load: StreamLoad, factor: Double) -> StreamLoad {
        StreamLoad(
            highLayers: load.highLayers * factor, lowLayers: load.lowLayers * factor, packets: load.packets * factor,
            highPixels: load.highPixels * factor, lowPixels: load.lowPixels * factor)
    }
}

/// What a process of many streams was seen to take.
struct LoadMeasurement: Codable, Equatable, Sendable {
    var load: StreamLoad
    /// CPU seconds of the process in a second.
    var cpu: Double
    /// Instructions of the process in a second; `nil` where the machine counts none. They repeat where seconds do not.
    var instructions: Double?
    /// CPU seconds a second of who feeds it, on the same machine.
    var feederCPU = 0.0
    /// The most memory that was resident at once, without the pictures that a camera would have had.
    var memoryBytes: Int?
    /// Of the pictures that were due the share that was coded, or shown in time.
    var inTime: Double
    /// Of several measurements of the same load, what each of them took, in their order; `nil` of one alone.
    var rounds: [Round]?

    /// What one of several measurements says.
    struct Round: Codable, Equatable, Sendable {
        var cpu: Double
        var instructions: Double?
        var inTime: Double

        var isRealTime: Bool { inTime >= realTimeShare }
    }

    /// Less than a hundredth of the pictures were left out or late.
    var isRealTime: Bool { inTime >= LoadMeasurement.realTimeShare }

    static let realTimeShare = 0.99
}

extension LoadMeasurement {
    /// What the load takes while nobody else disturbs: whoever shares the processor's caches or cores can only add to it. A
    /// round that left pictures out did less, and does not count.
    var leastCPU: Double { rounds?.filter(\.isRealTime).map(\.cpu).min() ?? cpu }

    /// How far the most of the rounds lies above the least, as a part of the middle one; `nil` of one alone.
    var cpuSpread: Double? { spread(\.cpu, of: cpu) }
    var instructionsSpread: Double? { spread(\.instructions, of: instructions ?? 0) }

    private func spread(_ quantity: (Round) -> Double?, of middle: Double) -> Double? {
        let values = (rounds ?? []).compactMap(quantity)
        guard let least = values.min(), let most = values.max(), middle > 0 else { return nil }
        return (most - least) / middle
    }

    /// The one in the middle of each quantity; in real time where most of them were.
    static func middle(of measurements: [LoadMeasurement]) -> LoadMeasurement {
        precondition(!measurements.isEmpty, "nothing was measured")
        var middle = measurements.sorted { $0.cpu < $1.cpu }[(measurements.count - 1) / 2]
        middle.inTime = measurements.map(\.inTime).sorted()[measurements.count / 2]
        middle.memoryBytes = LoadMeasurement.middle(measurements.compactMap(\.memoryBytes))
        middle.instructions = LoadMeasurement.middle(measurements.compactMap(\.instructions))
        if measurements.count > 1 {
            middle.rounds = measurements.map { Round(cpu: $0.cpu, instructions: $0.instructions, inTime: $0.inTime) }
        }
        return middle
    }

    private static func middle<Value: Comparable>(_ values: [Value]) -> Value? {
        values.isEmpty ? nil : values.sorted()[(values.count - 1) / 2]
    }
}

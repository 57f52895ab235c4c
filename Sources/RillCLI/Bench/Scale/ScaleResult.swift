/// How many streams one process carries in real time, and what they take.
struct ScaleResult: Codable, Sendable {
    /// Hardware threads of the machine.
    var threads: Int
    /// Seconds that each load was measured for, and how often.
    var seconds: Double
    var rounds: Int
    /// Senders, and receivers.
    var groups: [Group]

    /// Loads that one model holds for.
    struct Group: Codable, Sendable {
        /// `senders`, `receivers`.
        var name: String
        /// Fitted to the loads in `calibration` alone.
        var model: CapacityModel
        /// Instructions a second, and bytes, fitted to the same; `nil` where they were not counted.
        var instructions: LoadCosts?
        var memory: LoadCosts?
        var calibration: [Calibration]
        var ladders: [Ladder]
    }

    /// A load that the model was fitted to.
    struct Calibration: Codable, Sendable {
        var name: String
        /// The middle one of the rounds.
        var measurement: LoadMeasurement
    }

    /// Loads of one kind, from the smallest to those that were too much.
    struct Ladder: Codable, Sendable {
        var title: String
        /// What is counted along it.
        var counted: String
        var steps: [Step]
    }

    /// A load that the model had not seen.
    struct Step: Codable, Sendable {
        var count: Int
        /// The middle one of the rounds.
        var measurement: LoadMeasurement
        /// What the model says that it takes, in CPU seconds a second; `nil` where it says that the machine has not so much.
        var predictedCPU: Double?
        /// Instructions a second, and bytes, by the model; `nil` where they are not counted.
        var predictedInstructions: Double?
        var predictedBytes: Double?
        /// Whether the model says that it is held in real time.
        var isPredictedToHold: Bool
    }
}

extension ScaleResult.Step {
    /// How far the prediction is off, as a part of the least that was measured. A load that the machine could not hold did
    /// not do all of its work, and is not compared.
    var error: Double? { error(predictedCPU, measurement.leastCPU) }

    /// The same of the instructions, and of the memory.
    var instructionsError: Double? { error(predictedInstructions, measurement.instructions) }
    var memoryError: Double? { error(predictedBytes, measurement.memoryBytes.map(Double.init)) }

    private func error(_ predicted: Double?, _ measured: Double?) -> Double? {
        guard measurement.isRealTime, let predicted, let measured, measured > 0 else { return nil }
        return predicted / measured - 1
    }
}

extension ScaleResult.Ladder {
    /// The most that were held in real time.
    var capacity: Int? { steps.filter(\.measurement.isRealTime).map(\.count).max() }

    /// The most of those measured that the model says are held.
    var predictedCapacity: Int? { steps.filter(\.isPredictedToHold).map(\.count).max() }

    /// The prediction that was furthest off, of one of the errors of its steps.
    func largest(_ error: (ScaleResult.Step) -> Double?) -> Double? {
        steps.compactMap(error).max { $0.magnitude < $1.magnitude }
    }

    func step(of count: Int) -> ScaleResult.Step? { steps.first { $0.count == count } }
}

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
        /// Whether the model says that it is held in real time.
        var isPredictedToHold: Bool
    }
}

extension ScaleResult.Step {
    /// How far the prediction is off, as a part of what was measured. A load that the machine could not hold did not do all
    /// of its work, and is not compared.
    var error: Double? {
        guard measurement.isRealTime, let predictedCPU else { return nil }
        return predictedCPU / measurement.cpu - 1
    }
}

extension ScaleResult.Ladder {
    /// The most that were held in real time.
    var capacity: Int? { steps.filter(\.measurement.isRealTime).map(\.count).max() }

    /// The most of those measured that the model says are held.
    var predictedCapacity: Int? { steps.filter(\.isPredictedToHold).map(\.count).max() }

    /// The prediction that was furthest off.
    var largestError: Double? {
        steps.compactMap(\.error).max { $0.magnitude < $1.magnitude }
    }

    func step(of count: Int) -> ScaleResult.Step? { steps.first { $0.count == count } }
}

/// What a live call's frames went through, under each condition.
struct LatencyResult: Codable, Sendable {
    /// Seconds that the call lasted.
    var seconds: Double
    /// As a shell takes it.
    var command: String
    var explanation: [String]
    var conditions: [Condition]

    /// One call.
    struct Condition: Codable, Sendable {
        /// What else the machine did, in a word.
        enum Name: String, Codable, Sendable, CaseIterable {
            /// Nothing.
            case idle
            /// Nothing, but its processors were kept from sleeping.
            case sleepless
            /// All its hardware threads were at work for others.
            case busy
        }

        var name: Name
        /// What else the machine did.
        var load: String
        /// How many hardware threads were at work for others meanwhile, on the average; `nil` where nobody knows.
        var others: MachineTime?
        /// The machine itself, without a call; `nil` where nobody looked.
        var machine: Machine?
        var framesCaptured: Int
        /// How late the capture thread was awake, after each frame was due.
        var lateness: Distribution?
        var layers: [Layer]
    }

    /// Two threads that only wake.
    struct Machine: Codable, Sendable {
        /// How late the first is awake.
        var woken: Distribution
        /// How late the second is awake, to which the first hands on.
        var handed: Distribution
    }

    /// One layer of a call.
    struct Layer: Codable, Sendable {
        var name: String
        /// Frames that the layer is to have at its rate.
        var framesDue: Int
        /// What became of frames and packets, by name.
        var counts: [String: Int]
        /// By the names of the measures; those of which there is nothing are not there.
        var latencies: [String: Distribution]

        func latency(_ measure: LatencyMeasure) -> Distribution? { latencies[measure.rawValue] }

        /// A count that the work has given; what it did not name did not happen.
        func count(_ name: String) -> Int { counts[name] ?? 0 }

        /// Frames that the layer was not asked for: it became slower, for want of time.
        var framesSpared: Int {
            framesDue - count("coded") - count("encoderBusy") - count("rateControl") - count("unchanged")
        }
        /// Frames that were due and not shown, for whatever reason.
        var framesLost: Int { framesDue - count("shown") }
        /// Datagrams that were sent and did not come.
        var packetsLost: Int { count("packetsSent") - count("packetsReceived") }
    }
}

extension LatencyResult.Condition {
    /// - Parameter framesPerSecond: of each layer, by name; the call itself has 30.
    init(
        name: Name, load: String, others: MachineTime? = nil, _ record: LatencyRecord, framesPerSecond: [String: Int]
    ) {
        (self.name, self.load, self.others) = (name, load, others)
        machine = LatencyResult.Machine(record.bare)
        framesCaptured = record.captures.count
        lateness = Distribution(record.captures.map { $0.woken - $0.due })
        let captured = framesCaptured
        layers = record.layers.map { layer in
            let rate = framesPerSecond[layer.name] ?? BenchClip.framesPerSecond
            let measured = LatencyMeasure.allCases.compactMap { measure in
                Distribution(measure.values(of: layer)).map { (measure.rawValue, $0) }
            }
            return LatencyResult.Layer(
                name: layer.name,
                framesDue: (captured * rate + BenchClip.framesPerSecond - 1) / BenchClip.framesPerSecond,
                counts: layer.counts, latencies: Dictionary(uniqueKeysWithValues: measured))
        }
    }
}

extension LatencyResult.Machine {
    fileprivate init?(_ wakes: [(due: Int64, woken: Int64, handed: Int64)]) {
        guard let woken = Distribution(wakes.map { $0.woken - $0.due }),
            let handed = Distribution(wakes.map { $0.handed - $0.due })
        else { return nil }
        (self.woken, self.handed) = (woken, handed)
    }
}

import Glibc
import Rill
import RillCore

/// How many live senders, and how many received streams, one process carries in real time.
///
/// A model of the cost of a layer, a packet and a pixel is fitted to loads of one kind of stream each; then both kinds
/// are put together, more and more of them, until real time is lost, and what they take is compared with what the model
/// had said.
struct ScaleBench {
    private let senders: SenderLoads
    private let receivers: ReceiverLoads
    private let clip: BenchClip
    private let threads = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    private let seconds: Double
    private let rounds: Int
    private let most: Int
    private let progress: (String) throws -> Void

    /// - Parameters:
    ///   - seconds: how long each load is measured.
    ///   - rounds: how often, all loads in turn; the middle one counts, and of CPU seconds the least for the model.
    ///   - most: senders, or participants, at most.
    init(
        _ clip: BenchClip, work: String, seconds: Double, rounds: Int, most: Int, in folder: BenchFolder,
        progress: @escaping (String) throws -> Void
    ) throws {
        (self.clip, self.seconds, self.rounds, self.most, self.progress) = (clip, seconds, rounds, most, progress)
        senders = try SenderLoads(clip, work: work, seconds: seconds, in: folder)
        receivers = ReceiverLoads(clip, work: work, seconds: seconds, threads: threads, in: folder)
    }

    /// Streams of one kind: how they are called and measured.
    private struct Load {
        var name: String
        var measure: () throws -> LoadMeasurement
    }

    /// Loads that grow: what one more adds is known from loads of the calibration.
    private struct Climb {
        var title: String
        var counted: String
        var counts: [Int]
        var load: (_ count: Int, _ calibration: [String: StreamLoad]) -> StreamLoad
        var measure: (Int) throws -> LoadMeasurement
    }

    func run() throws -> ScaleResult {
        ScaleResult(
            threads: threads, seconds: seconds, rounds: rounds,
            groups: [
                try group(
                    "senders", try senderCalibration(),
                    [clip.resolution, senders.half].compactMap(\.self).map(senderClimb)
                ),
                try group("receivers", try receiverCalibration(), [participants]),
            ])
    }

    // Thumbnails of the calibration: no more than suit what is climbed to.
    private var few: Int { min(24, 8 * most) }
    private var many: Int { min(96, 32 * most) }
    private var multitude: Int { min(768, 64 * most) }

    /// So many streams of one size that they keep a part of the machine busy, without more than it has: what a picture costs
    /// beside others has to be seen, it does not follow from what it costs alone. Several of them, since all that the model
    /// says of a machine in use rests on them, and one may meet a host that others use just then.
    private func crowds(ofThoseTaking cpu: Double) -> [Int] {
        let counts = ScaleBench.busyShares.map { share in
            max(2, min(most, Int(share * Double(threads) / max(cpu, 1e-3))))
        }
        return Set(counts).sorted()
    }

    private static let busyShares = [0.3, 0.5, 0.7]

    // MARK: Senders

    private func senderCalibration() throws -> [Load] {
        let (senders, size) = (senders, clip.resolution)
        try progress("scale: one sender of each size, to see how many keep the machine busy")
        func load(_ count: Int, _ layers: String, _ size: Resolution, _ low: SenderLoads.Low = .plain) -> Load {
            let what = layers == "high" ? "\(size)" : "160x120, \(low.rawValue)"
            return Load(name: "\(count) × \(what)") { try senders.measure(count, layers, size, low) }
        }
        var loads: [Load] = []
        for size in [size, senders.half].compactMap(\.self) {
            let one = try senders.measure(1, "high", size).cpu
            loads += ([1] + crowds(ofThoseTaking: one)).map { load($0, "high", size) }
        }
        return loads + [
            load(few, "low", size), load(few, "low", size, .heavy), load(few, "low", size, .fast),
            load(many, "low", size),
        ]
    }

    private func senderClimb(_ size: Resolution) -> Climb {
        let (senders, few) = (senders, few)
        return Climb(
            title: "Sending \(size) at 30 and 160x120 at 5 pictures a second", counted: "senders",
            counts: [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128],
            load: { count, calibration in
                let high: StreamLoad = calibration["1 × \(size)"] ?? .nothing
                let low: StreamLoad = calibration["\(few) × 160x120, 45k@5"] ?? .nothing
                return (high + low * (1 / Double(few))) * Double(count)
            },
            measure: { try senders.measure($0, "both", size) })
    }

    // MARK: Receivers

    private func receiverCalibration() throws -> [Load] {
        let (receivers, size) = (receivers, clip.resolution)
        try progress("scale: one received stream, to see how many keep the machine busy")
        let one = try receivers.measure(high: 1, low: 0).cpu
        func high(_ count: Int) -> Load {
            Load(name: "\(count) × \(size)") { try receivers.measure(high: count, low: 0) }
        }
        func low(_ count: Int, _ kind: SenderLoads.Low = .plain) -> Load {
            Load(name: "\(count) × 160x120, \(kind.rawValue)") { try receivers.measure(high: 0, low: count, kind) }
        }
        return [high(1)] + crowds(ofThoseTaking: one).map(high)
            + [low(few), low(few, .heavy), low(few, .fast), low(many), low(multitude)]
    }

    private var participants: Climb {
        let (receivers, size, many) = (receivers, clip.resolution, many)
        return Climb(
            title: "Receiving one stream of \(size) at 30 and the others at 160x120 and 5 pictures a second",
            counted: "participants", counts: [2, 5, 9, 17, 33, 65, 129, 257, 513, 1025, 2049],
            load: { count, calibration in
                let high: StreamLoad = calibration["1 × \(size)"] ?? .nothing
                let low: StreamLoad = calibration["\(many) × 160x120, 45k@5"] ?? .nothing
                return high + low * (Double(count - 1) / Double(many))
            },
            measure: { try receivers.measure(high: 1, low: $0 - 1) })
    }

    // MARK: Measuring

    private func group(_ name: String, _ calibration: [Load], _ climbs: [Climb]) throws -> ScaleResult.Group {
        var calibrated = [[LoadMeasurement]](repeating: [], count: calibration.count)
        var climbed = [[Int: [LoadMeasurement]]](repeating: [:], count: climbs.count)
        for round in 1...rounds {
            for (index, load) in calibration.enumerated() {
                try progress("scale, round \(round) of \(rounds): \(name), \(load.name)")
                calibrated[index].append(try load.measure())
            }
            for (index, climb) in climbs.enumerated() {
                func measure(_ count: Int) throws -> LoadMeasurement {
                    try progress("scale, round \(round) of \(rounds): \(count) \(climb.counted), \(climb.title)")
                    let measurement = try climb.measure(count)
                    climbed[index][count, default: []].append(measurement)
                    return measurement
                }
                if round == 1 {
                    try ScaleBench.climb(climb.counts.filter { $0 <= most }) { count in
                        try ScaleBench.isHeld(on: threads) { try measure(count) }
                    }
                } else {
                    for count in climbed[index].keys.sorted() { _ = try measure(count) }
                }
            }
        }
        let middles = calibrated.map(LoadMeasurement.middle)
        guard let model = CapacityModel(fitting: middles, threads: threads) else {
            throw CommandError("no cost of a layer, a packet and a pixel fits what \(name) took")
        }
        let instructions = LoadCosts(instructionsOf: middles)
        let memory = LoadCosts(memoryOf: middles)
        let named = Dictionary(uniqueKeysWithValues: zip(calibration.map(\.name), middles))
        return ScaleResult.Group(
            name: name, model: model, instructions: instructions, memory: memory,
            calibration: zip(calibration, middles).map { ScaleResult.Calibration(name: $0.name, measurement: $1) },
            ladders: zip(climbs, climbed).map { climb, measured in
                ScaleResult.Ladder(
                    title: climb.title, counted: climb.counted,
                    steps: measured.sorted { $0.key < $1.key }.map { count, measurements in
                        let load = climb.load(count, named.mapValues(\.load))
                        let middle = LoadMeasurement.middle(of: measurements)
                        let predicted = model.cpu(of: load, feederCPU: middle.feederCPU)
                        return ScaleResult.Step(
                            count: count, measurement: middle, predictedCPU: predicted.isFinite ? predicted : nil,
                            predictedInstructions: instructions?.total(of: load),
                            predictedBytes: memory?.total(of: load),
                            isPredictedToHold: model.holds(load, feederCPU: middle.feederCPU))
                    })
            })
    }

    /// Whether a load is held in real time. One that was late and yet left half of the machine idle was kept waiting: so it
    /// looks where a host takes the machine away for seconds, and is tried again.
    static func isHeld(on threads: Int, _ measure: () throws -> LoadMeasurement) rethrows -> Bool {
        for _ in 0..<patience {
            let measurement = try measure()
            if measurement.isRealTime { return true }
            if measurement.cpu + measurement.feederCPU > Double(threads) / 2 { return false }
        }
        return false
    }

    private static let patience = 3

    /// Goes up the counts until one does not hold twice, then looks between it and the last that held until they lie no
    /// more than a tenth apart.
    static func climb(_ counts: [Int], holds: (Int) throws -> Bool) rethrows {
        var held = 0
        var lost: Int?
        for count in counts {
            guard try holds(count) || holds(count) else {
                lost = count
                break
            }
            held = count
        }
        guard var lost else { return }
        while lost - held > max(1, held / 10) {
            let middle = (held + lost) / 2
            if try holds(middle) { held = middle } else { lost = middle }
        }
    }
}

extension StreamLoad {
    fileprivate static let nothing = StreamLoad()
}

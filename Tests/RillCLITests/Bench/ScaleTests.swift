import Foundation
import Rill
import RillCore
import RillFiles
import RillPages
import RillTestSupport
import Testing

@testable import RillCLI

@Suite struct ScaleTests {
    private let folder = TemporaryFolder()

    // MARK: Going up

    @Test(arguments: [0, 1, 7, 64, 100, 5000])
    func `Climbing ends between what holds and what does not`(limit: Int) {
        let counts = [1, 2, 4, 8, 16, 32, 64, 128]
        var asked: [Int] = []
        ScaleBench.climb(counts) { count in
            asked.append(count)
            return count <= limit
        }
        let held = asked.filter { $0 <= limit }.max() ?? 0
        let lost = asked.filter { $0 > limit }.min()
        if let lost {
            #expect(lost - held <= max(1, held / 10), "\(held) and \(lost)")
            // Chance may have it that a load is not held once: the first that is not is tried again.
            let firstLost = counts.first { $0 > limit }
            #expect(asked.count { $0 == firstLost } >= 2)
        } else {
            #expect(asked == counts)
        }
    }

    private struct Tries: Equatable {
        var isHeld: Bool
        var count: Int
    }

    @Test func `A load that was late without taking much is tried again, and a load that took much is lost`() {
        func tries(_ loads: [(cpu: Double, inTime: Double)]) -> Tries {
            var count = 0
            let isHeld = ScaleBench.isHeld(on: 2) {
                defer { count += 1 }
                return LoadMeasurement(
                    load: StreamLoad(), cpu: loads[count].cpu, feederCPU: 0.1, inTime: loads[count].inTime)
            }
            return Tries(isHeld: isHeld, count: count)
        }
        #expect(tries([(0.1, 1)]) == Tries(isHeld: true, count: 1))
        #expect(tries([(0.1, 0.2), (0.1, 0.06), (0.1, 1)]) == Tries(isHeld: true, count: 3))
        #expect(tries([(0.1, 0.2), (0.1, 0.06), (0.1, 0.5)]) == Tries(isHeld: false, count: 3))
        #expect(tries([(1.9, 0.7)]) == Tries(isHeld: false, count: 1))
        #expect(tries([(0.1, 0.2), (0.95, 0.7)]) == Tries(isHeld: false, count: 2))
    }

    // MARK: Participants

    private func recording(_ name: String, packets: Int, every interval: MediaDuration) throws -> String {
        let path = folder.path(name)
        let file = try RTPDumpWriter(path: path)
        for index in 0..<packets {
            var bytes = [UInt8](repeating: UInt8(index), count: 20)
            bytes[0] = 0x80
            bytes[1] = 96
            try file.write(bytes.span, .rtp, at: .zero + interval * index)
        }
        try file.finish()
        return path
    }

    @Test func `Every participant has a source and a phase of its own, and all packets in order`() throws {
        let streams = try ParticipantStreams(
            high: try recording("high", packets: 6, every: .milliseconds(33)),
            low: try recording("low", packets: 3, every: .milliseconds(200)))
        let path = folder.path("all.rtpdump")
        try streams.write(high: 2, low: 3, to: path)

        let file = try RTPDumpReader(path: path)
        var bytes: [UInt8] = []
        var last = MediaTime.zero
        var first: [UInt32: MediaTime] = [:]
        var payloads: [UInt32: [UInt8]] = [:]
        while let record = try file.next(into: &bytes) {
            #expect(record.time >= last)
            last = record.time
            let ssrc = bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
            first[ssrc] = first[ssrc] ?? record.time
            payloads[ssrc, default: []].append(bytes[19])
        }
        #expect(
            payloads == [1: [0, 1, 2, 3, 4, 5], 2: [0, 1, 2, 3, 4, 5], 3: [0, 1, 2], 4: [0, 1, 2], 5: [0, 1, 2]])
        #expect(first.mapValues(\.seconds) == [1: 0, 2: 0.5, 3: 0, 4: 0.333, 5: 0.667])
    }

    // MARK: What was measured

    @Test func `The middle of the rounds counts, and real time where most rounds had it`() {
        func measured(_ cpu: Double, _ inTime: Double, memory: Int, instructions: Double?) -> LoadMeasurement {
            LoadMeasurement(
                load: StreamLoad(highLayers: 1), cpu: cpu, instructions: instructions, memoryBytes: memory,
                inTime: inTime)
        }
        let middle = LoadMeasurement.middle(of: [
            measured(0.9, 0.5, memory: 3, instructions: 98), measured(0.1, 1, memory: 9, instructions: 103),
            measured(0.4, 0.995, memory: 1, instructions: 100),
        ])
        #expect(middle.instructions == 100)
        #expect(middle.cpuSpread == 2 && middle.instructionsSpread == 0.05)
        #expect(middle.rounds?.map(\.cpu) == [0.9, 0.1, 0.4])
        #expect(middle.leastCPU == 0.1)
        let alone = measured(0.9, 1, memory: 3, instructions: nil)
        let (once, twice) = (LoadMeasurement.middle(of: [alone]), LoadMeasurement.middle(of: [alone, alone]))
        #expect(once.cpuSpread == nil && once.leastCPU == 0.9)
        #expect(twice.cpuSpread == 0 && twice.instructionsSpread == nil)
        #expect(middle.cpu == 0.4)
        #expect(middle.isRealTime)
        #expect(middle.memoryBytes == 3)
    }

    private func result(cpu: Double, predicted: Double) throws -> ScaleResult {
        let load = StreamLoad(highLayers: 1, packets: 10, highPixels: 1e6)
        var measurement = LoadMeasurement(
            load: load, cpu: cpu, instructions: 1e8, memoryBytes: 1 << 20, inTime: 1)
        measurement.rounds = [
            .init(cpu: cpu, instructions: 1e8, inTime: 1), .init(cpu: cpu * 1.3, instructions: 1.02e8, inTime: 1),
            // Pictures were left out, and what it took says nothing of what they all would have.
            .init(cpu: cpu * 0.7, instructions: 1e8, inTime: 0.5),
        ]
        var calm = measurement
        calm.rounds = [
            .init(cpu: cpu, instructions: 1e8, inTime: 1), .init(cpu: cpu * 1.1, instructions: 1.01e8, inTime: 1),
        ]
        let model = try #require(CapacityModel(fitting: [measurement], threads: 2))
        let late = LoadMeasurement(load: load, cpu: 1.9, inTime: 0.5)
        let ladder = ScaleResult.Ladder(
            title: "Receiving <all>", counted: "participants",
            steps: [
                .init(
                    count: 9, measurement: calm, predictedCPU: predicted, predictedInstructions: 0.96e8,
                    predictedBytes: 1.25 * 1_048_576, isPredictedToHold: true),
                .init(
                    count: 17, measurement: measurement, predictedCPU: predicted, predictedInstructions: 0.96e8,
                    predictedBytes: 1.25 * 1_048_576, isPredictedToHold: true),
                .init(
                    count: 99, measurement: late, predictedCPU: nil, predictedInstructions: 3, isPredictedToHold: false),
            ])
        return ScaleResult(
            threads: 2, seconds: 1, rounds: 1,
            groups: [
                .init(
                    name: "receivers", model: model, calibration: [.init(name: "one", measurement: measurement)],
                    ladders: [ladder])
            ])
    }

    @Test func `Seventeen participants and the model are judged, and what was not held in real time is not`() throws {
        let bars = try result(cpu: 0.14, predicted: 0.15).bars
        #expect(bars.map(\.isMet) == [true, true, true, false])
        #expect(abs((bars[2].figure ?? 0) - 4) < 1e-9 && abs((bars[3].figure ?? 0) - 25) < 1e-9)
        #expect(bars[1].note.contains("60") && bars[2].note.contains("2") && bars[3].note.isEmpty)
        #expect(abs((bars[0].figure ?? 0) - 14) < 1e-9 && abs((bars[1].figure ?? 0) - 100.0 / 14) < 1e-9)
        #expect(try result(cpu: 0.16, predicted: 0.19).bars.map(\.isMet) == [false, false, true, false])
    }

    @Test func `The page shows it well-formed, with a plot of CPU and one of memory for each ladder`() throws {
        let report = BenchReport(
            clip: "a clip", resolution: .hd720, turns: 1, machine: [], versions: [], jobs: [],
            scale: try result(cpu: 0.16, predicted: 0.15))
        let document = try MarkupDocument(BenchPage(report).page.source)
        #expect(document.named("figure").count == 2)
        let text = report.text
        #expect(
            text.contains(
                "17 participants received in real time, CPU: 16 % of a core, at most 15 % of a core: missed"))
        #expect(text.contains("17 participants in real time"))
        #expect(!text.contains("compare"))
    }

    // MARK: The real thing

    private struct Report: Decodable {
        var scale: ScaleResult
        var bars: [Bar]
    }

    @Test func `Senders and participants run live, and each picture and packet is accounted for`() throws {
        let clip = try movingClip(in: folder, frames: 12, width: 176, height: 144)
        let page = folder.path("scale.html")
        let outcome = try rillProgram().run([
            "bench", "scale", clip, "--seconds", "1", "--most", "2", "--json", "--html", page,
        ])
        try #require(outcome.status == 0, "\(outcome.errors)")
        let scale = try JSONDecoder().decode(Report.self, from: Data(outcome.output)).scale
        #expect(scale.groups.map(\.name) == ["senders", "receivers"])
        for group in scale.groups {
            let ladder = try #require(group.ladders.first)
            #expect(ladder.steps.allSatisfy { $0.count <= 2 } && !ladder.steps.isEmpty)
            for measurement in group.calibration.map(\.measurement) + ladder.steps.map(\.measurement) {
                #expect(measurement.cpu > 0)
                #expect(measurement.memoryBytes ?? 0 > 1 << 20)
                // Of neighbouring moments: no processor does a tenth of one, or twenty, in a nanosecond of work.
                if let instructions = measurement.instructions {
                    #expect((0.1...20).contains(instructions / (measurement.cpu * 1e9)))
                }
                // A picture is at least one packet.
                let pictures = measurement.load.highPixels / (176 * 144) + measurement.load.lowPixels / (160 * 120)
                #expect(measurement.load.packets >= pictures * 0.9)
            }
        }
        // One sender and its two layers at most, as far as the machine keeps up beside other tests.
        let sender = try #require(scale.groups[0].ladders[0].step(of: 1)).measurement
        #expect(sender.load.layers == 2)
        #expect(sender.load.highPixels <= 32 * 176 * 144 && sender.load.highPixels > 0)
        let document = try MarkupDocument(String(decoding: try read(page), as: UTF8.self))
        #expect(document.named("figure").count == 4)
    }
}

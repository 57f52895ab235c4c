import Foundation
import Glibc
import RillTestSupport
import Testing

@testable import RillCLI

/// Real calls, as short as the command lets them be; nothing here depends on how long anything took.
@Suite struct LatencyCommandTests {
    private let folder = TemporaryFolder()

    /// Whether this machine lets us keep its processors from sleeping.
    private static let keepsAwake = unsafe access("/dev/cpu_dma_latency", W_OK) == 0

    private struct Report: Decodable {
        var latency: LatencyResult
        var bars: [Bar]
    }

    @Test func `Each frame that is coded has its stamps, shown ones both sides', and each histogram holds them all`()
        throws
    {
        let clip = try movingClip(in: folder, frames: 12, width: 176, height: 144)
        let page = folder.path("latency.html")
        let outcome = try rill("bench", "latency", clip, "--duration", "2s", "--json", "--html", page)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output))
        let result = report.latency
        #expect(result.seconds == 2)
        #expect(result.conditions.map(\.name) == (Self.keepsAwake ? [.idle, .sleepless, .busy] : [.idle, .busy]))
        #expect(report.bars.count == (Self.keepsAwake ? 6 : 3))
        #expect(result.explanation.contains { $0.contains("takes no request") } == !Self.keepsAwake)
        for condition in result.conditions {
            #expect(condition.framesCaptured == 60)
            #expect(condition.lateness?.count == 60)
            #expect(condition.layers.map(\.name) == ["high", "low"])
            #expect(condition.layers.map(\.framesDue) == [60, 10])
            for layer in condition.layers {
                let about = "\(condition.name) \(layer.name): \(layer.counts)"
                // A machine that has other things to do may lose frames; what it has not lost is accounted for.
                let (coded, shown) = (layer.count("coded"), layer.count("shown"))
                #expect(coded > 0 && shown > 0 && shown <= coded && coded <= layer.framesDue, "\(about)")
                #expect(layer.count("packetsSent") >= coded, "\(about)")
                if layer.packetsLost == 0 { #expect(layer.count("decoded") == coded, "\(about)") }
                for measure in LatencyMeasure.allCases {
                    let distribution = try #require(layer.latency(measure), "\(about) \(measure)")
                    let expected =
                        [.captureToSent, .encode, .added, .handoff, .packetize].contains(measure) ? coded : shown
                    #expect(distribution.count == expected, "\(about) \(measure)")
                    #expect(distribution.buckets.reduce(0) { $0 + $1.count } == distribution.count)
                    #expect(distribution.least >= 0 && distribution.least <= distribution.maximum)
                }
            }
        }
        let document = try MarkupDocument(String(decoding: try read(page), as: UTF8.self))
        let histograms = document.elements.filter {
            $0.attributes["class"] == "histogram" && $0.attributes["aria-hidden"] == nil
        }
        #expect(histograms.count == 3 + 2 * LatencyMeasure.allCases.count)
    }

    @Test func `Tables are aligned, and the bars are judged in words`() throws {
        let clip = try movingClip(in: folder, frames: 12, width: 176, height: 144)
        let outcome = try rill("bench", "latency", clip, "--duration", "1s")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.text.split(separator: "\n").map(String.init)
        let verdicts = lines.filter { $0.hasSuffix(": met") || $0.hasSuffix(": missed") }
        #expect(verdicts.count == (Self.keepsAwake ? 6 : 3), "\(outcome.text)")
        #expect(verdicts[2].hasPrefix("live, frames and datagrams lost in 1 s, idle"))
        #expect(
            lines.count { $0.contains("median     90 %") || $0.hasPrefix("idle, ms") || $0.hasPrefix("busy, ms") } >= 2)
        #expect(!outcome.text.contains("Nobody was there"))
    }

    @Test func `Who spins ends by itself when it is nobody's child`() throws {
        // Its parent is the test's `timeout`, and not the process of that number.
        let outcome = try Program(builtAs: "rill-bench-work").start(["spin", "1"], limit: 120).wait()
        #expect(outcome.status == 0)
    }

    @Test func `Nobody is left spinning when the command is killed`() throws {
        let clip = try movingClip(in: folder, frames: 12, width: 176, height: 144)
        let place = folder.path("temporary")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        var program = try rillProgram()
        program.environment["TMPDIR"] = place
        let running = try program.start(["bench", "latency", clip, "--duration", "4s"])
        var spinners: [pid_t] = []
        while spinners.isEmpty, !running.hasEnded {
            usleep(20_000)
            // The command's folder bears its number, which those who spin were told.
            let names = try FileManager.default.contentsOfDirectory(atPath: place)
            let number = names.first { $0.hasPrefix("rill-bench-") }?.dropFirst("rill-bench-".count)
            if let number { spinners = Self.processes(runningWith: ["spin", String(number)]) }
        }
        try #require(!spinners.isEmpty, "nobody was seen spinning")
        try running.kill()
        #expect(try running.wait().status == 137)
        // They look once a millisecond, when they are let.
        for _ in 0..<6000 where spinners.contains(where: { kill($0, 0) == 0 }) { usleep(10_000) }
        #expect(spinners.filter { kill($0, 0) == 0 } == [])
    }

    /// Processes whose last words are those.
    private static func processes(runningWith words: [String]) -> [pid_t] {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        return numbers.filter { number in
            // Gone, as it may be at any time.
            guard let line = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") else { return false }
            return line.split(separator: 0).suffix(words.count).map { String(decoding: $0, as: UTF8.self) } == words
        }
    }

    @Test(arguments: ["0.5s", "2d", "-1s", "86401s", ""])
    func `A call of no time, or of more than a day, is refused`(duration: String) throws {
        #expect(try rill("bench", "latency", "--duration=\(duration)").status == 64, "\(duration)")
    }
}

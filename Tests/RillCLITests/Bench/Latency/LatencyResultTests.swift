import RillPages
import RillTestSupport
import Testing

@testable import RillCLI

@Suite struct LatencyResultTests {
    /// A call of three frames, of which the second was lost on the way; all in nanoseconds.
    private static let printed = """
        captured 1000 1500
        captured 34000 34100
        captured 67000 69000
        sent high 90 1000 1600 2000 9000 9500
        sent high 3090 34000 34200 34300 40000 40700
        sent high 6090 67000 69100 69200 70000 70300
        shown high 90 9600 9700 9800 9900 9950
        shown high 6090 70400 70400 70500 71000 71100
        layer high encoderBusy=0 coded=3 packetsSent=5 packetsReceived=4 decoded=2 shown=2
        frames=3

        """

    private func condition(_ text: String = LatencyResultTests.printed) throws -> LatencyResult.Condition {
        LatencyResult.Condition(name: .idle, load: "nothing", try LatencyRecord(parsing: text), framesPerSecond: [:])
    }

    @Test func `Stretches are taken frame by frame, and the encoder's call is no part of what Rill adds`() throws {
        let record = try LatencyRecord(parsing: Self.printed)
        let layer = try #require(record.layers.first)
        func values(_ measure: LatencyMeasure) -> [Int64] { measure.values(of: layer) }
        #expect(values(.captureToSent) == [8500, 6700, 3300])
        #expect(values(.encode) == [7000, 5700, 800])
        #expect(values(.added) == [1500, 1000, 2500])
        #expect(values(.handoff) == [400, 100, 100])
        #expect(values(.packetize) == [500, 700, 300])
        // The second was never shown.
        #expect(values(.firstPacketToShown) == [350, 700])
        #expect(values(.lastPacketToShown) == [250, 700])
        #expect(values(.decode) == [100, 500])
        #expect(values(.captureToShown) == [8950, 4100])
        #expect(try condition().lateness?.maximum == 2000)
    }

    @Test func `What is lost is told, and misses the bar`() throws {
        let layer = try #require(try condition().layers.first)
        #expect(layer.framesDue == 3 && layer.framesLost == 1 && layer.packetsLost == 1)
        let bars = try condition().bars(seconds: 0.1)
        #expect(bars.map(\.isMet) == [true, false])
        #expect(bars[1].note == "1 of 3 frames of high, 1 datagram of high")
        var text = Self.printed.replacing("encoderBusy=0", with: "encoderBusy=1")
        text = text.replacing("packetsReceived=4", with: "packetsReceived=5")
        let busy = try condition(text).bars(seconds: 0.1)
        #expect(busy[1].note == "1 of 3 frames of high (1 gave way to a newer one)")
        text = text.replacing("encoderBusy=1", with: "encoderBusy=0").replacing("decoded=2", with: "decoded=3")
        let late = try condition(text).bars(seconds: 0.1)
        #expect(late[1].note == "1 of 3 frames of high (1 overtaken at the receiver, decoded and not shown)")
    }

    @Test func `At the 99th percentile a millisecond is met, and a nanosecond more is not`() throws {
        func isMet(added: Int) throws -> Bool {
            let text = "captured 0 0\nsent high 0 0 0 0 0 \(added)\nlayer high coded=1 shown=1\n"
            return try #require(try condition(text).bars(seconds: 1).first).isMet
        }
        #expect(try isMet(added: 1_000_000))
        #expect(try !isMet(added: 1_000_001))
    }

    @Test func `What the machine itself takes to wake stands beside the bar`() throws {
        let bare = (1...100).map { "bare \($0 * 1000) \($0 * 1000 + $0) \($0 * 1000 + 200_000)\n" }.joined()
        let condition = try condition(bare + Self.printed)
        let machine = try #require(condition.machine)
        #expect(machine.woken.count == 100 && machine.woken.percentile99 == 99 && machine.handed.median == 200_000)
        #expect(try #require(condition.bars(seconds: 1).first).note == "two threads that only wake: 0.200 ms")
        #expect(condition.groups.map(\.title) == ["the machine, without a call", "capture", "high"])
        let result = LatencyResult(seconds: 0.1, command: "work", explanation: [], conditions: [condition])
        let document = try MarkupDocument(LatencySection(result).html.source)
        let labels = document.elements.compactMap { $0.attributes["aria-label"] }
        #expect(labels.count == 3 + LatencyMeasure.allCases.count)
    }

    @Test func `A call in which nothing was sent meets no bar`() throws {
        let bars = try condition("layer high coded=0\n").bars(seconds: 1)
        #expect(bars.map(\.isMet) == [false, false])
        #expect(try condition("").bars(seconds: 1).map(\.isMet) == [false])
    }

    @Test(arguments: [
        "bare 1 2", "bare 1 2 x", "captured 1", "captured a b", "captured 1 2 3", "sent high 1 2 3",
        "sent high 90 1 2 3 - 5", "sent high -1 1 2 3 4 5", "shown high 4294967296 1 2 3 4 5", "layer high x=",
        "layer high x", "layer", "rill-bench-work: something failed", "frame=3",
    ])
    func `A line that is none of the work's is refused by its number`(line: String) throws {
        let error = #expect(throws: BenchError.self) { try LatencyRecord(parsing: "frames=1\n\(line)\n") }
        guard case .unreadable(line: 2, _) = error else {
            Issue.record("\(line): \(error.map { "\($0)" } ?? "read")")
            return
        }
    }

    @Test func `The page has a histogram for each stretch of each layer and condition, and idle machines are judged`()
        throws
    {
        let conditions = try LatencyResult.Condition.Name.allCases.map { name in
            var condition = try condition()
            condition.name = name
            return condition
        }
        let result = LatencyResult(seconds: 0.1, command: "work", explanation: ["x < y"], conditions: conditions)
        #expect(result.bars.count == 4)
        #expect(result.bars.prefix(2).allSatisfy { $0.name.hasSuffix(", idle") })
        #expect(result.bars.suffix(2).allSatisfy { $0.name.hasSuffix(", sleepless") })
        let document = try MarkupDocument(LatencySection(result).html.source)
        let labels = document.elements.compactMap { $0.attributes["aria-label"] }
        #expect(labels.count == 1 + LatencyMeasure.allCases.count)
        #expect(
            labels.allSatisfy { label in
                ["idle median", "sleepless median", "busy median"].allSatisfy { label.contains($0) }
            })
        let bands = document.named("path").count { $0.attributes["class"]?.hasPrefix("band") == true }
        #expect(bands == 3 * labels.count)
    }

    @Test func `What others took of the machine is told, without what was measured`() throws {
        let text = "cpu  1000 20 300 5000 7 10 20 40 0 0\ncpu0 1 2 3\n"
        let start = try #require(MachineTime(parsing: text, ticksPerSecond: 100))
        #expect(start == MachineTime(busy: 13.5, stolen: 0.4))
        let end = MachineTime(busy: 23.5, stolen: 1.4)
        let others = end.others(since: start, without: Turn(cpuSeconds: 8, wallSeconds: 10, peakBytes: nil))
        #expect(abs(others.busy - 0.2) < 1e-9 && abs(others.stolen - 0.1) < 1e-9)
        for text in ["", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "intr 1 2 3 4 5 6 7 8 9"] {
            #expect(MachineTime(parsing: text, ticksPerSecond: 100) == nil, "\(text)")
        }
    }
}

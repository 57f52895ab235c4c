import RillCore
import RillLink
import RillTestSupport
import Testing

@Suite struct DeliveryTraceTests {
    private func parse(_ text: String) throws(LinkError) -> DeliveryTrace {
        try DeliveryTrace(parsing: Array(text.utf8).span, name: "t")
    }

    /// A trace as a model draws it: a rate that wanders, and an outage.
    static func sample(seed: UInt64, milliseconds: UInt32) throws -> DeliveryTrace {
        var generator = SeededGenerator(seed: seed)
        var numbers: [UInt32] = []
        var rate = 3
        for time in 0..<milliseconds {
            if time.isMultiple(of: 100) { rate = min(max(rate + Int.random(in: -1...1, using: &generator), 0), 8) }
            for _ in 0..<Int.random(in: 0...rate, using: &generator) / 3 { numbers.append(time) }
        }
        return try DeliveryTrace(milliseconds: numbers + [milliseconds], name: "sample")
    }

    @Test func `It reads numbers, one a line`() throws {
        #expect(try parse("0\n5\n5\n12\n").milliseconds == [0, 5, 5, 12])
        #expect(try parse("1").milliseconds == [1], "the last line needs no end")
        #expect(try parse("007\r\n8\r\n").milliseconds == [7, 8])
        #expect(try parse("4294967295").milliseconds == [.max])
        let trace = try parse("1\n")
        #expect(trace.meanRate == .megabits(12) && trace.period == .milliseconds(1))
    }

    @Test(
        arguments: [
            ("", 1, .empty), ("\n", 1, .notANumber), ("1\n\n2\n", 2, .notANumber), ("1\n2\n\n", 3, .notANumber),
            ("1\n2x\n", 2, .notANumber), ("-1\n", 1, .notANumber), ("1 \n", 1, .notANumber), ("1\r2\n", 1, .notANumber),
            ("\r\n", 1, .notANumber), ("1\n4294967296\n", 2, .numberTooLarge),
            ("99999999999999999999", 1, .numberTooLarge),
            ("3\n2\n", 2, .timeGoesBack(from: 3, to: 2)), ("0\n0\n", 2, .zeroDuration), ("0", 1, .zeroDuration),
            ("5\n\u{0}", 2, .notANumber),
        ] as [(String, Int, TraceDefect)])
    func `It names the line`(text: String, line: Int, defect: TraceDefect) {
        #expect(throws: LinkError.invalidTrace("t", line: line, defect)) { try parse(text) }
    }

    @Test func `Errors describe what was expected`() {
        #expect(
            LinkError.invalidTrace("lte.up", line: 3, .timeGoesBack(from: 3, to: 2)).description
                == "lte.up: line 3: 2 stands behind 3: expected times that do not fall")
    }

    @Test func `It reads files and reports those that it cannot`() throws {
        let folder = TemporaryFolder()
        let trace = try Self.sample(seed: 1, milliseconds: 60_000)
        let path = folder.path("sample.up")
        try write(Array(trace.text.utf8), to: path)
        let settings = try LinkSettings(notation: "trace=\(path),queue=100kB")
        #expect(settings.trace?.milliseconds == trace.milliseconds && settings.trace?.name == path)
        #expect(settings.description == "trace=\(path),queue=100kB,seed=1")
        #expect(try LinkSettings(notation: settings.description) == settings)
        let missing = folder.path("none")
        #expect(throws: LinkError.traceUnreadable(missing, code: 2)) {
            try LinkSettings(notation: "trace=\(missing)")
        }
        #expect(throws: LinkError.traceUnreadable(folder.root, code: 21)) {
            try LinkSettings(notation: "trace=\(folder.root)")
        }
        #expect(throws: LinkError.invalidTrace("/dev/zero", line: 1, .notANumber)) {
            try LinkSettings(notation: "trace=/dev/zero")
        }
        #expect(throws: LinkError.conflictingSettings(.rate, .trace)) {
            try LinkSettings(notation: "rate=1M,trace=\(path)")
        }
    }

    @Test func `It takes no more than it has room for`() throws {
        let most = [UInt32](repeating: 7, count: DeliveryTrace.maximumCount)
        #expect(try DeliveryTrace(milliseconds: most).milliseconds.count == most.count)
        #expect(throws: LinkError.invalidTrace("trace", line: most.count + 1, .tooLong)) {
            try DeliveryTrace(milliseconds: most + [7])
        }
    }

    @Test func `It never traps on any bytes`() throws {
        let seeds = ["1\n", "0\n5\n5\n12\n", "100\r\n200\r\n4294967295\r\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10"]
        var accepted = 0
        let inputs = MutatedInputs(of: seeds.map { Array($0.utf8) }, count: 100_000, using: SeededGenerator(seed: 3))
        for (index, input) in inputs.enumerated() {
            do {
                let trace = try DeliveryTrace(parsing: input.span)
                accepted += 1
                let numbers = trace.milliseconds
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 } && trace.period > .zero, "\(index)")
                guard index.isMultiple(of: 50) else { continue }
                #expect(try DeliveryTrace(parsing: Array(trace.text.utf8).span) == trace, "input \(index)")
                // And what was accepted can be driven on.
                let run = LinkRun(try LinkSettings(trace: trace), count: 20, interval: .milliseconds(3)) { $0 * 100 }
                #expect(run.deliveries.count + run.statistics.droppedByQueue == 20, "input \(index)")
            } catch {
                guard case LinkError.invalidTrace(_, let line, _) = error else { throw error }
                #expect((1...input.count + 1).contains(line), "input \(index)")
            }
        }
        #expect((5000...60_000).contains(accepted), "\(accepted) of 100000 were accepted")
    }
}

import Foundation
import RillCodec
import RillCore
import RillPeer
import RillSession
import RillTestSupport
import Testing

/// Peers that have connected in good order, and then send anything, protected with the right keys: to a connection,
/// through a forwarder, and to a participant of a call.
///
/// `RILL_ATTACK="peer 13"` repeats one run alone. Keys are other ones then; nothing else is. `RILL_ATTACK_INPUTS` is
/// another number of inputs.
@Suite(.serialized) struct AttackTests {
    private enum Target: String, CaseIterable {
        case peer, forward, call
    }

    /// So many inputs have one session; then numbers, keys and what is negotiated are others.
    private static let inputsPerRun = 600

    @Test func `Peers that send anything harm nobody else, and reach every outcome`() throws {
        let watchdog = Watchdog()
        defer { watchdog.end() }
        let report = AttackReport(watchdog)
        let coded = try Self.codedFrames()
        if let run = Self.environment("RILL_ATTACK") { return try Self.repeatRun(run, coded, report) }
        try Self.runDirected(coded, report)
        let total = Self.environment("RILL_ATTACK_INPUTS").flatMap { Int($0) } ?? (isLongRun ? 10_000_000 : 100_000)
        var seed: UInt64 = 0
        var meter = GrowthMeter()
        // A short run has 25 rounds: what leaks grows in each, what other tests take does not.
        let seedsPerRound: UInt64 = isLongRun ? 20 : 2
        while report.inputCount < total {
            for target in Target.allCases { try Self.run(target, seed: seed, coded, report) }
            seed += 1
            if seed % seedsPerRound == 0 { try meter.endRound() }
        }
        note(report.book.text)
        note(
            """
            \(report.inputCount) inputs in \(seed) runs of each kind; at most \(report.mostActions) actions and \
            \(report.mostBytes) bytes until a wait; \(meter.least ?? 0) bytes grew in the best \(seedsPerRound)
            """)
        let missing = report.book.missing(besides: UnreachableOutcomes.all)
        #expect(missing.isEmpty, "no input reached \(missing.joined(separator: ", "))")
        let reached = report.book.wronglyExcluded(UnreachableOutcomes.all)
        #expect(reached.isEmpty, "reached, or gone: \(reached.joined(separator: ", "))")
        // Fewer inputs, by the variable, have no two rounds.
        let most = isLongRun ? 4_000_000 : 1_600_000
        #expect(isSanitized || total < 100_000 || meter.least ?? .max < most, "\(meter.least ?? 0) bytes")
    }

    /// A step that takes long by the clock, while the thread rests, hangs as little as one after the other that are
    /// short.
    @Test func `The watchdog tells a step that hangs from many that do not`() {
        var judge = Watchdog.Judge()
        func isHanging(_ run: String, _ step: Int, isActive: Bool = true, _ seconds: Double) -> Bool {
            judge.isHanging(Watchdog.Work(run: run, step: step, isActive: isActive), seconds)
        }
        for step in 0..<100 {
            #expect(!isHanging("peer 1", step, Double(step) * 9))
            #expect(!isHanging("peer 1", step, Double(step) * 9 + 8.9))
        }
        #expect(!isHanging("peer 1", 99, 99 * 9 + 10))
        #expect(isHanging("peer 1", 99, 99 * 9 + 10.1))
        #expect(!isHanging("peer 1", 99, isActive: false, 2000))
        #expect(!isHanging("peer 1", 99, 2000))
        #expect(!isHanging("peer 2", 99, 2011))
    }

    // MARK: Runs

    private static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    private static func runDirected(_ coded: [[UInt8]], _ report: AttackReport) throws {
        for attack in DirectedAttack.allCases { try attack.run(report) }
        for attack in CircuitBreakAttack.allCases { try attack.run(report) }
        for attack in DirectedForwardAttack.allCases { try attack.run(report) }
        let forward = try ForwardAttack(seed: 1, report)
        try forward.connect()
        try forward.endSilently()
        let call = try CallAttack(seed: 0, coded, hasWrongKey: true, report)
        for step in 0..<100 { _ = call.step(step, "directed call") }
        try CallAttack(seed: 0, coded, isPaced: false, report).rest()
    }

    private static func repeatRun(_ name: String, _ coded: [[UInt8]], _ report: AttackReport) throws {
        let words = name.split(separator: " ").map(String.init)
        if words.first == "directed" {
            let name = words.last ?? ""
            if let attack = DirectedAttack(rawValue: name) { return try attack.run(report) }
            if let attack = CircuitBreakAttack(rawValue: name) { return try attack.run(report) }
            if let attack = DirectedForwardAttack(rawValue: name) { return try attack.run(report) }
            return try runDirected(coded, report)
        }
        let target = try existing(words.first.flatMap(Target.init))
        try run(target, seed: try existing(words.last.flatMap { UInt64($0) }), coded, report)
    }

    private static func run(_ target: Target, seed: UInt64, _ coded: [[UInt8]], _ report: AttackReport) throws {
        let run = "\(target.rawValue) \(seed)"
        var (step, count) = (0, 0)
        func repeatSteps(_ isOver: () -> Bool, _ body: (Int) -> Int) {
            while count < inputsPerRun, step < 3 * inputsPerRun, !isOver() {
                count += body(step)
                step += 1
            }
        }
        switch target {
        case .peer:
            let attack = try PeerAttack(seed: seed, report)
            try attack.connect()
            repeatSteps({ attack.isOver }) { attack.step($0, run, report) }
            if let session = attack.victim.peer.session { report.note(session, streamLimit: 4) }
            attack.victim.noteCounters()
        case .forward:
            let attack = try ForwardAttack(seed: seed, report)
            try attack.connect()
            repeatSteps({ attack.isOver }) { attack.step($0, run) }
            try attack.finish()
        case .call:
            let attack = try CallAttack(seed: seed, coded, report)
            repeatSteps({ false }) { attack.step($0, run) }
            attack.finish()
        }
        report.noteInputs(count)
    }

    /// Small frames of VP8 that decode, of two sizes.
    private static func codedFrames() throws -> [[UInt8]] {
        var frames: [[UInt8]] = []
        for resolution in [Resolution(width: 160, height: 120), Resolution(width: 96, height: 64)] {
            let pictures = try TestPictures(resolution)
            let encoder = try VPXEncoder(
                layer: StreamLayer(rid: .high), resolution: resolution, frameRate: 30, bitrate: .kilobits(100))
            for index in 0..<12 {
                try encoder.encode(pictures.picture(index), isKeyFrame: index == 0) { frames.append($1.array) }
            }
        }
        return frames
    }
}

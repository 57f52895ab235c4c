import Foundation
import RillCore
import RillSecurity
import RillTestSupport
import Testing

/// Frames that a forwarder, or anybody else without a key, changed.
@Suite struct MutatedFrameTests {
    @Test(arguments: [SFrameSuite.aes128GCM, .aes256GCM])
    func `No mutated frame is accepted`(suite: SFrameSuite) throws {
        let keys = NumberedKeys(secret: 54)
        var seeds: [[UInt8]] = []
        var opener = SFrameOpener(keys, suite)
        for sender in [UInt64(0), 5, 1 << 60] {
            var sealer = try SFrameSealer(keys, SFrameKeyID(sender: sender), suite)
            for number in 0..<20 { seeds.append(sealer.sealed(codedFrame(number, byteCount: 1 + number * 9))) }
        }
        // The keys are in the table, and each original frame opens.
        let originals = Set(seeds)
        for seed in seeds { #expect(opener.opened(seed).outcome.isOpened) }
        var strict = SFrameOpener(keys, suite)
        var count = 0
        // Some are mutated back: in a long run five million are left for each suite.
        let total = isLongRun ? 5_050_000 : 50_000
        var slowest = 0.0
        let beginning = Self.processorTime
        let inputs = MutatedInputs(of: seeds, count: total, using: SeededGenerator(seed: 9605))
        for (index, input) in inputs.enumerated() where !originals.contains(input) {
            // An interrupt of the system can fall into one, and not into the same one each time.
            var shortest = Double.infinity
            for _ in 0..<5 where shortest > 0.0005 {
                let start = isLongRun ? Self.processorTime : 0
                // One has opened the originals; the other has opened nothing, and so refuses nothing as a replay.
                let isOpened = opener.opened(input).outcome.isOpened || strict.opened(input).outcome.isOpened
                #expect(!isOpened, "input \(index): \(input)")
                shortest = isLongRun ? min(shortest, Self.processorTime - start) : 0
            }
            slowest = max(slowest, shortest)
            count += 1
        }
        let mean = (Self.processorTime - beginning) / Double(count)
        #expect(count > total * 9 / 10 && strict.statistics.opened == 0 && strict.keyCount == 0)
        let statistics = strict.statistics
        #expect(statistics.wrongKey > total / 10 && statistics.malformed > 0 && statistics.unknownLayout > 0)
        // Both openers together.
        if isLongRun { #expect(slowest < 0.001) }
        note(
            "\(suite): \(count) mutated frames, none accepted, \(Int(mean * 1e9)) ns each, the slowest "
                + "\(Int(slowest * 1e6)) µs: \(statistics)")
    }

    /// What this thread has used of a processor, in seconds: others on the machine do not count.
    private static var processorTime: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

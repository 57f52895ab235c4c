import Glibc
import RillCore
import RillTestSupport
import Testing

/// Frames that cross threads; run under the thread sanitizer by the test script.
struct FramePoolThreadingTests {
    @Test func `Many threads share one pool and every buffer returns`() async throws {
        let pool = try FramePool(resolution: Resolution(width: 32, height: 16), capacity: 4)
        let sums = Monitor(0)
        await withTaskGroup { group in
            for worker in 0..<4 {
                group.addTask {
                    for round in 0..<200 {
                        guard var unfinished = pool.makeFrame() else { continue }
                        var planes = unfinished.planes
                        planes.y.fill(UInt8(truncatingIfNeeded: worker &* 50 &+ round))
                        let frame = unfinished.finish(captureTime: .zero)
                        // Two readers of one frame, the last of which returns it.
                        async let here = Int(frame.y[0, 0])
                        async let there = Int(frame.y[31, 15])
                        let (first, last) = await (here, there)
                        sums.withLock { $0 += first - last }
                    }
                }
            }
        }
        #expect(sums.withLock { $0 } == 0)
        #expect(pool.statistics.inUse == 0)
        #expect(pool.statistics.handedOut + pool.statistics.misses == 800)
    }
}

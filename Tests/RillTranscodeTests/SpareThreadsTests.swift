import RillCodec
import RillCore
import RillMediaSupport
import RillTestSupport
import RillThreads
import Testing

@testable import RillTranscode

struct SpareThreadsTests {
    @Test func `A thread that is lent is not lent twice`() throws {
        let spare = SpareThreads(1)
        #expect(spare.borrow { true })
        let isWanted = Monitor(true)
        let second = Monitor<Bool?>(nil)
        let borrower = try NamedThread("second") {
            let got = spare.borrow { isWanted.withLock { $0 } }
            second.withLock { $0 = got }
        }
        // It is not given back: it is no longer wanted.
        isWanted.withLock { $0 = false }
        spare.wake()
        borrower.join()
        #expect(second.withLock { $0 } == false)
        spare.add()
        #expect(spare.borrow { true })
    }

    @Test func `An added thread goes to a waiter`() throws {
        let spare = SpareThreads()
        let got = Monitor(0)
        let borrowers = try (0..<3).map { index in
            try NamedThread("borrower-\(index)") {
                if spare.borrow(while: { true }) { got.withLock { $0 += 1 } }
            }
        }
        for _ in 0..<3 { spare.add() }
        for borrower in borrowers { borrower.join() }
        #expect(got.withLock { $0 } == 3)
    }

    @Test func `Transcodes side by side make the same with any number of them`() throws {
        let resolution = Resolution(width: 64, height: 48)
        func made(_ spareCount: Int) throws -> [[[UInt8]]] {
            let spare = SpareThreads(spareCount)
            var running: [(RunningTranscode, CodedRecording)] = []
            for _ in 0..<3 {
                let recording = CodedRecording()
                let pictures = try LoopedPictures(resolution, frameCount: 60)
                let transcoder = Transcoder(
                    clip: ReopenableClip(RangedPictures(pictures: pictures, damage: nil)),
                    outputs: [.encoded(.high(resolution, bitrate: .kilobits(100)), recording)], files: [],
                    segments: .count(5), threads: 4, spareThreads: spare, keyFrameInterval: nil)
                running.append((transcoder.start(), recording))
            }
            return try running.map { transcode, recording in
                let report = try transcode.wait()
                #expect(report.segmentCount == 5)
                return recording.frames(of: .high)
            }
        }
        let alone = try made(0)
        #expect(alone[0].count == 60 && alone[0] == alone[1])
        let (few, enough) = (try made(2), try made(9))
        #expect(few == alone && enough == alone)
    }
}

import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

@Suite struct FrameRunsTests {
    @Test func `Rows that follow each other are one piece`() {
        func runCount(_ width: Int, _ height: Int) -> Int {
            FrameRuns(FrameLayout(.i420, Resolution(width: width, height: height))).runs.count
        }
        #expect(runCount(640, 480) == 1)
        #expect(runCount(1280, 720) == 1)
        // Luma of 192 is gapless and so is its first row of chroma behind it; that of 96 is not.
        #expect(runCount(192, 120) == 2 * 60)
        #expect(runCount(160, 120) == 120 + 2 * 60)
        #expect(runCount(321, 241) == 241 + 2 * 121)
        #expect(runCount(1, 1) == 3)
    }

    @Test(arguments: interestingSizes, [PixelFormat.i420, .nv12])
    func `Runs are the samples in order`(resolution: Resolution, format: PixelFormat) {
        let layout = FrameLayout(format, resolution)
        let runs = FrameRuns(layout)
        var expected: [Int] = []
        for index in 0..<format.planeCount {
            let plane = layout[plane: index]
            for y in 0..<plane.height { expected += (0..<plane.width).map { plane.offset + y * plane.stride + $0 } }
        }
        #expect(runs.runs.flatMap(\.self) == expected)
        #expect(runs.byteCount == expected.count)
        #expect(FrameRuns.byteCount(of: resolution) == expected.count)
    }
}

import RillCore
import Testing

@testable import RillCodec

struct UnchangedFramePolicyTests {
    /// Which of `contents`, at 30 a second, are coded, if the quantizer of the `n`th coded frame is `quantizer(n)`.
    private func coded(_ contents: [Int?], quantizer: (Int) -> Int = { _ in 4 }) -> [Int] {
        var policy = UnchangedFramePolicy()
        var coded: [Int] = []
        for (index, content) in contents.enumerated() {
            let time = FrameRate(30).time(ofFrame: index)
            if policy.canSkip(content, at: time) { continue }
            policy.coded(content, at: time, quantizer: quantizer(coded.count), by: .vp8)
            coded.append(index)
        }
        return coded
    }

    @Test func `A still picture is coded once a second`() {
        #expect(coded(Array(repeating: 1, count: 100)) == [0, 30, 60, 90])
    }

    @Test func `A still picture is coded until it is fine`() {
        #expect(coded(Array(repeating: 1, count: 40)) { 40 - 5 * $0 } == [0, 1, 2, 3, 4, 5, 35])
    }

    @Test func `Every change is coded at once`() {
        #expect(coded([1, 1, 1, 2, 2, 3, 4, 4, 4]) == [0, 3, 5, 6])
    }

    @Test func `Frames that are not compared are all encoded`() {
        #expect(coded([nil, nil, nil]) == [0, 1, 2])
    }

    @Test func `A clock that is set back does not silence the stream`() {
        var policy = UnchangedFramePolicy()
        policy.coded(1, at: .zero + .seconds(100), quantizer: 4, by: .vp8)
        let isSkipped = policy.canSkip(1, at: .zero + .seconds(5))
        #expect(!isSkipped)
    }

    @Test func `No second is without a frame at any rate`() {
        for rate in [1, 2, 3, 5, 7, 12, 30, 59] as [FrameRate] {
            var policy = UnchangedFramePolicy()
            var last = MediaTime.zero
            for index in 0..<200 {
                let time = rate.time(ofFrame: index)
                if policy.canSkip(1, at: time) { continue }
                #expect(time - last <= .milliseconds(1001), "\(rate), frame \(index)")
                policy.coded(1, at: time, quantizer: 4, by: .vp9)
                last = time
            }
        }
    }
}

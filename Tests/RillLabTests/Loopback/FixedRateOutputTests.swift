import RillCore
import RillMediaSupport
import RillTestSupport
import Testing

@testable import RillLab

@Suite struct SteadyOutputTests {
    private let pictures: TestPictures
    private let written = PictureRecording()

    init() throws { pictures = try TestPictures(Resolution(width: 16, height: 16), frameRate: 10) }

    /// What the sink got when the pictures of these numbers were shown, and the last of those sent was number `last`:
    /// the numbers of the pictures that the sink got.
    private func shown(_ numbers: [Int], of last: Int, shift: MediaDuration = .zero) throws -> [Int?] {
        let output = FixedRateOutput(written, frameRate: 10)
        for number in numbers {
            var picture = pictures.picture(number)
            picture.captureTime += shift
            try output.show(picture, from: .zero + shift)
        }
        try output.finish(with: numbers.isEmpty ? nil : pictures.frameRate.time(ofFrame: last) + shift)
        let sums = (0...last).map { checksum(pictures.picture($0)) }
        return written.checksums.map { sums.firstIndex(of: $0) }
    }

    @Test func `Every picture of a clean call is written once`() throws {
        #expect(try shown([0, 1, 2, 3, 4], of: 4) == [0, 1, 2, 3, 4])
        #expect(written.isFinished)
    }

    @Test func `A picture stays until the next is shown`() throws {
        #expect(try shown([0, 1, 5, 6], of: 6) == [0, 1, 1, 1, 1, 5, 6])
    }

    @Test func `The last picture is shown until the end of the sent video`() throws {
        #expect(try shown([0, 1, 2], of: 6) == [0, 1, 2, 2, 2, 2, 2])
    }

    @Test func `The first picture fills the time before it is shown`() throws {
        #expect(try shown([3, 4], of: 5) == [3, 3, 3, 3, 4, 4])
    }

    @Test func `Times count from the first frame sent`() throws {
        #expect(try shown([0, 3], of: 4, shift: .seconds(3600)) == [0, 0, 0, 3, 3])
    }

    @Test func `Pictures that lie closer than the rate are all written`() throws {
        let output = FixedRateOutput(written, frameRate: 5)
        for number in 0..<6 { try output.show(pictures.picture(number), from: .zero) }
        try output.finish(with: pictures.frameRate.time(ofFrame: 5))
        #expect(written.checksums == (0..<6).map { checksum(pictures.picture($0)) })
    }

    @Test func `A call that showed nothing writes nothing`() throws {
        #expect(try shown([], of: 3) == [])
        #expect(written.isFinished)
    }
}

import RillCore
import RillTestSupport
import Testing

@testable import RillCodec

struct SceneCutDetectorTests {
    @Test func `Cuts are found, and motion and noise are not taken for them`() throws {
        let pictures = try ScenePictures(Resolution(width: 320, height: 180), scenes: 3)
        var detector = SceneCutDetector()
        let found = try (0..<120).filter { detector.add(try pictures.picture($0, scene: $0 / 50)) }
        #expect(found == [50, 100])
    }

    @Test func `Motion that lasts is not taken for cuts for long`() throws {
        // Pictures of nothing but noise: each differs much from the one before.
        var detector = SceneCutDetector()
        let pictures = try noiseFrames(60, Resolution(width: 160, height: 90))
        var found = (0..<20).map { _ in detector.add(pictures[0]) }
        found += pictures.map { detector.add($0) }
        #expect(found.firstIndex(of: true) == 21 && !found[26...].contains(true), "\(found)")
    }

    @Test(arguments: [(1, 1), (2, 2), (17, 13), (63, 35), (1920, 1080)])
    func `Pictures of any size are compared`(width: Int, height: Int) throws {
        var detector = SceneCutDetector()
        let frames = try noiseFrames(2, Resolution(width: width, height: height))
        let same = (0..<20).map { _ in detector.add(frames[0]) }
        #expect(!same.contains(true), "the same picture")
        let isFound = detector.add(frames[1])
        #expect(isFound || width * height < 16)
    }
}

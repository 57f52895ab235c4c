import RillCore
import RillScenes
import RillTestSupport
import Testing

@testable import RillBeauty

/// Faces that an app gives.
struct GivenFacesTests {
    private let resolution = Resolution(width: 160, height: 120)

    private func picture() throws -> VideoFrame {
        let scene = try PortraitScene(
            resolution: resolution, frameRate: 30, settings: PortraitScene.Settings(skinTone: .medium))
        return try existing(scene.draw(frame: 0))
    }

    /// The square of the drawn portrait's face.
    private let face = FaceRegion(x: 54, y: 26, side: 52)

    /// Filters the same picture again and again; `give` is called before each.
    private func run(
        _ filter: inout BeautyFilter, frameCount: Int, _ give: (Int, inout BeautyFilter) -> Void
    ) throws -> [[UInt8]] {
        let (picture, pool) = (try picture(), try FramePool(resolution: resolution, capacity: 1))
        return try (0..<frameCount).map { index in
            give(index, &filter)
            return try existing(try filter.apply(to: picture, into: pool)).samples
        }
    }

    @Test func `A face that the app sets counts, and changes the color of skin`() throws {
        var plain = BeautyFilter(.natural)
        var taught = BeautyFilter(.natural)
        let without = try run(&plain, frameCount: 45) { _, _ in }
        let with = try run(&taught, frameCount: 45) { index, filter in if index == 2 { filter.giveFaces([face]) } }
        #expect(with[1] == without[1] && with[44] != without[44])
        #expect(taught.faces == [face] && taught.statistics.framesWithFaces == 43)
        #expect(plain.faces.isEmpty && plain.statistics.framesWithFaces == 0)
        var again = BeautyFilter(.natural)
        let repeated = try run(&again, frameCount: 45) { index, filter in if index == 2 { filter.giveFaces([face]) } }
        #expect(repeated == with)
    }

    @Test func `A face is known for 120 frames, and an empty list ends it at once`() throws {
        var filter = BeautyFilter(.natural)
        var counts: [Int] = []
        _ = try run(&filter, frameCount: 125) { index, filter in
            if index == 0 { filter.giveFaces([face]) }
            counts.append(filter.faces.count)
        }
        #expect(counts[1...119].allSatisfy { $0 == 1 } && counts[122...].allSatisfy { $0 == 0 }, "\(counts)")
        _ = try run(&filter, frameCount: 3) { index, filter in filter.giveFaces(index < 2 ? [face] : []) }
        #expect(filter.faces.isEmpty)
    }

    @Test func `The first four count, and the same face counts once`() throws {
        var filter = BeautyFilter(.natural)
        let many = (0..<6).map { FaceRegion(x: 20 * $0, y: 40, side: 16) }
        _ = try run(&filter, frameCount: 1) { _, filter in filter.giveFaces(many) }
        #expect(filter.faces == Array(many[..<4]))
        var other = BeautyFilter(.natural)
        _ = try run(&other, frameCount: 1) { _, filter in filter.giveFaces([face, face]) }
        #expect(other.faces == [face])
    }

    @Test func `Faces of a frame that is not filtered are forgotten`() throws {
        var filter = BeautyFilter(.off)
        _ = try run(&filter, frameCount: 4) { index, filter in
            if index == 0 { filter.giveFaces([face]) }
            if index == 1 { filter.options = .natural }
        }
        #expect(filter.faces.isEmpty)
    }

    /// Numbers of an app's detector may be anything.
    @Test(arguments: [(16, 16), (97, 55), (168, 304), (320, 608)])
    func `No numbers trap`(size: (Int, Int)) throws {
        let extremes = [Int.min, -32768, -100, -1, 0, 1, 15, 100, 1000, 32768, Int.max]
        let picture = try frame(size.0, size.1, .noise, seed: 3)
        let pool = try FramePool(resolution: picture.resolution, capacity: 1)
        for cascade in [nil, try smallCascade()] {
            var filter = BeautyFilter(.strong, cascade: cascade)
            var random = SeededGenerator(seed: 8)
            for round in 0..<20 {
                filter.giveFaces(
                    (0..<4).map { _ in
                        func number() -> Int { extremes.randomElement(using: &random) ?? 0 }
                        return FaceRegion(x: number(), y: number(), side: number())
                    })
                _ = try existing(try filter.apply(to: picture, into: pool))
                #expect(filter.faces.allSatisfy { $0.side >= 1 && abs($0.x) <= 1 << 15 }, "\(round)")
            }
            // Then the filter searches around them itself.
            for _ in 0..<(size.0 < 100 ? 130 : 0) { _ = try existing(try filter.apply(to: picture, into: pool)) }
        }
    }

    @Test func `Coordinates are clamped`() {
        var region = FaceRegion(x: .min, y: .max, side: 0)
        #expect(region == FaceRegion(x: -32768, y: 32768, side: 1))
        (region.x, region.y, region.side) = (.max, .min, .min)
        #expect(region == FaceRegion(x: 32768, y: -32768, side: 1))
        #expect("\(FaceRegion(x: 5, y: -6, side: 70))" == "70x70 at 5,-6")
    }

    @Test func `Another cascade restarts`() throws {
        var filter = BeautyFilter(.natural)
        _ = try run(&filter, frameCount: 2) { _, filter in filter.giveFaces([face]) }
        filter.cascade = try smallCascade()
        #expect(filter.faces.isEmpty)
        _ = try run(&filter, frameCount: 1) { _, _ in }
        #expect(filter.faces.isEmpty && filter.mask != nil)
    }
}

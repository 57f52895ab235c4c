import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

struct FaceFeaturesTests {
    private static let (width, height) = (160, 120)
    private let color = SkinColor(red: 16 * 20, yellow: 16 * 16, dark: 90, bright: 180)

    private struct Planes: ~Copyable {
        let luma = CellPlane(width: FaceFeaturesTests.width, height: FaceFeaturesTests.height)
        let u = CellPlane(width: FaceFeaturesTests.width, height: FaceFeaturesTests.height)
        let v = CellPlane(width: FaceFeaturesTests.width, height: FaceFeaturesTests.height)

        /// Skin everywhere, with noise.
        init() {
            var random = SeededGenerator(seed: 3)
            for y in 0..<luma.height {
                for x in 0..<luma.width {
                    luma.row(y)[x] = UInt8.random(in: 127...133, using: &random)
                    u.row(y)[x] = UInt8.random(in: 111...113, using: &random)
                    v.row(y)[x] = UInt8.random(in: 147...149, using: &random)
                }
            }
        }

        /// A face of that square: dark eyes, and lips redder by five and darker by twenty. `mouth` moves them.
        func draw(_ face: FaceRegion, mouth: (x: Int, y: Int) = (0, 0)) {
            func fill(
                _ x: Double, _ y: Double, _ w: Double, _ h: Double, _ move: (x: Int, y: Int), _ dark: UInt8,
                _ red: UInt8
            ) {
                let side = Double(face.side)
                let (left, top) = (face.x + Int(x * side) + move.x, face.y + Int(y * side) + move.y)
                for row in (top..<top + Int(h * side)).clamped(to: 0..<luma.height) {
                    for column in (left..<left + Int(w * side)).clamped(to: 0..<luma.width) {
                        luma.row(row)[column] -= dark
                        v.row(row)[column] += red
                    }
                }
            }
            fill(0.2, 0.38, 0.2, 0.1, (0, 0), 40, 0)
            fill(0.6, 0.38, 0.2, 0.1, (0, 0), 40, 0)
            fill(0.34, 0.8, 0.32, 0.1, mouth, 20, 5)
        }
    }

    private func face(_ region: FaceRegion, strength: Int = 256) -> FaceFeatures.Face {
        FaceFeatures.Face(region: region, color: color, strength: strength)
    }

    /// How much of a plane of 200s is left after lips and eyes were spared, at a point of a face.
    private func rest(_ features: FaceFeatures, _ region: FaceRegion, _ x: Double, _ y: Double) -> UInt8 {
        let plane = CellPlane(width: Self.width, height: Self.height)
        for row in 0..<Self.height { for column in 0..<Self.width { plane.row(row)[column] = 200 } }
        features.spare(plane, offset: 0)
        return plane.row(region.y + Int(y * Double(region.side)))[region.x + Int(x * Double(region.side))]
    }

    private func found(_ faces: [FaceFeatures.Face], in planes: borrowing Planes, frameCount: Int = 24) -> FaceFeatures
    {
        let features = FaceFeatures(width: Self.width, height: Self.height, inBlocks: false)
        for _ in 0..<frameCount {
            features.find(faces, luma: planes.luma, u: planes.u, v: planes.v, isFirst: false)
        }
        return features
    }

    @Test func `Lips and eyes are found, and skin beside them is not`() {
        let regions = [FaceRegion(x: 20, y: 20, side: 50), FaceRegion(x: 90, y: 40, side: 60)]
        let planes = Planes()
        for region in regions { planes.draw(region) }
        let features = found(regions.map { face($0) }, in: planes)
        for region in regions {
            for (x, y) in [(0.3, 0.43), (0.7, 0.43), (0.5, 0.85)] {
                #expect(rest(features, region, x, y) < 30, "\(region), \(x), \(y)")
            }
            for (x, y) in [(0.5, 0.43), (0.5, 0.6), (0.15, 0.8), (0.5, 1.05), (0.5, 0.1), (-0.2, 0.5)] {
                #expect(rest(features, region, x, y) > 180, "\(region), \(x), \(y)")
            }
        }
    }

    @Test(arguments: [(-5, -4), (5, 4), (4, -5), (0, 6)])
    func `A mouth beside its usual place is found`(move: (Int, Int)) {
        let region = FaceRegion(x: 50, y: 30, side: 60)
        let planes = Planes()
        planes.draw(region, mouth: (move.0, move.1))
        let features = found([face(region)], in: planes)
        let (x, y) = (0.5 + Double(move.0) / 60, 0.85 + Double(move.1) / 60)
        #expect(rest(features, region, x, y) < 30)
    }

    @Test func `A feature has the weight of its face, and disappears with it`() {
        let region = FaceRegion(x: 50, y: 30, side: 60)
        let planes = Planes()
        planes.draw(region)
        let half = found([face(region, strength: 128)], in: planes)
        #expect((80...120).contains(rest(half, region, 0.5, 0.85)))
        let features = found([face(region)], in: planes)
        var rests: [UInt8] = []
        for _ in 0..<100 {
            features.find([], luma: planes.luma, u: planes.u, v: planes.v, isFirst: false)
            rests.append(rest(features, region, 0.5, 0.85))
        }
        #expect(rests[0] > 80 && rests[0] < 140 && rests[99] == 200, "\(rests)")
        #expect(zip(rests, rests.dropFirst()).allSatisfy { $0 <= $1 }, "\(rests)")
        // Nothing is left to look at.
        #expect(features.areas.lips.isEmpty && features.areas.eyes.isEmpty)
    }

    @Test func `The first picture counts in full`() {
        let region = FaceRegion(x: 50, y: 30, side: 60)
        let planes = Planes()
        planes.draw(region)
        let features = FaceFeatures(width: Self.width, height: Self.height, inBlocks: false)
        features.find([face(region)], luma: planes.luma, u: planes.u, v: planes.v, isFirst: true)
        #expect(rest(features, region, 0.5, 0.85) < 30)
    }

    /// In blocks the same is found, and cells between blocks are in between.
    @Test func `Blocks are enlarged to cells`() {
        let region = FaceRegion(x: 50, y: 30, side: 60)
        let planes = Planes()
        planes.draw(region)
        let features = FaceFeatures(width: 2 * Self.width - 1, height: 2 * Self.height - 1, inBlocks: true)
        for _ in 0..<24 { features.find([face(region)], luma: planes.luma, u: planes.u, v: planes.v, isFirst: false) }
        let plane = CellPlane(width: 2 * Self.width - 1, height: 2 * Self.height - 1)
        for row in 0..<plane.height { for column in 0..<plane.width { plane.row(row)[column] = 200 } }
        features.spare(plane, offset: 0)
        #expect(plane.row(2 * (30 + 51))[2 * (50 + 30)] < 30 && plane.row(2 * (30 + 36))[2 * (50 + 30)] > 180)
        // Once the face is gone all cells are as they were.
        for _ in 0..<100 { features.find([], luma: planes.luma, u: planes.u, v: planes.v, isFirst: false) }
        for row in 0..<plane.height { for column in 0..<plane.width { plane.row(row)[column] = 200 } }
        features.spare(plane, offset: 0)
        #expect(firstDifference(plane) { _, _ in 200 } == nil)
    }

    @Test(arguments: [(66, true), (60, false)])
    func `Lips and eyes of a large face follow by turns, and those of others at once`(side: Int, takesTurns: Bool) {
        let region = FaceRegion(x: 46, y: 20, side: side)
        let planes = Planes()
        planes.draw(region)
        let (width, height) = (2 * Self.width - 1, 2 * Self.height - 1)
        let features = FaceFeatures(width: width, height: height, inBlocks: true)
        var (lips, eyes) = ([UInt8](), [UInt8]())
        for _ in 0..<80 {
            features.find([face(region)], luma: planes.luma, u: planes.u, v: planes.v, isFirst: false)
            let plane = CellPlane(width: width, height: height)
            for row in 0..<height { for column in 0..<width { plane.row(row)[column] = 200 } }
            features.spare(plane, offset: 0)
            lips.append(plane.row(2 * (region.y + side * 85 / 100))[2 * (region.x + side / 2)])
            eyes.append(plane.row(2 * (region.y + side * 43 / 100))[2 * (region.x + side * 3 / 10)])
        }
        #expect(lips[79] < 30 && eyes[79] < 30)
        func changes(_ values: [UInt8]) -> [Bool] { zip(values, values.dropFirst()).map { $0 != $1 } }
        let both = zip(changes(lips), changes(eyes)).count { $0 && $1 }
        #expect(takesTurns ? both == 0 : both > 5, "\(lips), \(eyes)")
    }

    @Test(arguments: [
        FaceRegion(x: -40, y: -40, side: 50), FaceRegion(x: 150, y: 110, side: 3), FaceRegion(x: 0, y: 0, side: 1),
        FaceRegion(x: -30000, y: 5, side: 32768), FaceRegion(x: 32768, y: 32768, side: 32768),
        FaceRegion(x: -100, y: -100, side: 400),
    ])
    func `Faces at the rim and out of the picture do no harm`(region: FaceRegion) {
        let planes = Planes()
        let features = found([face(region)], in: planes, frameCount: 3)
        let plane = CellPlane(width: Self.width, height: Self.height)
        features.spare(plane, offset: 0)
        #expect(firstDifference(plane) { _, _ in 0 } == nil)
    }
}

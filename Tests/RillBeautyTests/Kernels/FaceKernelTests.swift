import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

/// The kernels that faces need give the very numbers of their references.
struct FaceKernelTests {
    @Test(arguments: Shape.allCases)
    func `Colors of a face match as in the reference`(shape: Shape) throws {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let u = cells(width, height, shape, seed: UInt64(index))
            let v = cells(width, height, shape, seed: UInt64(index) + 100)
            let luma = cells(width, height, shape, seed: UInt64(index) + 200)
            let color = cells(32, 32, .faint, seed: UInt64(index) + 300)
            let learned = SkinColor(of: FaceRegion(x: 0, y: 0, side: 32), u: color, v: v, luma: luma)
            for skin in skins + [learned].compactMap({ $0 }) {
                let target = CellPlane(width: width, height: height)
                let rows = CellPlane(width: width, height: 3)
                // The first one's ellipse touches a row in a single point.
                let faces = [
                    FaceRegion(x: 4, y: -3, side: 12), FaceRegion(x: -5, y: height - 4, side: 20),
                ]
                for (count, face) in faces.enumerated() {
                    SkinColorKernel(skin, of: face, strength: 256 - 100 * count).run(
                        u: u, v: v, luma: luma, rows: rows, addsTo: count > 0, to: target)
                }
                var mistakes = 0
                for y in 0..<height {
                    for x in 0..<width {
                        let expected = faces.enumerated().map { count, face in
                            SkinColorKernel(skin, of: face, strength: 256 - 100 * count).reference(
                                u: u.row(y)[x], v: v.row(y)[x], luma: luma.row(y)[x], x: x, y: y)
                        }
                        if target.row(y)[x] != expected.max() { mistakes += 1 }
                    }
                }
                #expect(mistakes == 0, "\(width)x\(height), \(shape), \(skin)")
            }
        }
    }

    @Test(arguments: Shape.allCases)
    func `Every second row of a large face is as in the reference, and the others are means`(shape: Shape) {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let u = cells(width, height, shape, seed: UInt64(index))
            let v = cells(width, height, .noise, seed: UInt64(index) + 100)
            let luma = cells(width, height, .noise, seed: UInt64(index) + 200)
            for skin in skins {
                let kernel = SkinColorKernel(skin, of: FaceRegion(x: -9, y: -20, side: 50), strength: 256)
                let target = CellPlane(width: width, height: height)
                kernel.runCoarsely(u: u, v: v, luma: luma, rows: CellPlane(width: width, height: 3), to: target)
                func exact(_ x: Int, _ y: Int) -> UInt8 {
                    kernel.reference(u: u.row(y)[x], v: v.row(y)[x], luma: luma.row(y)[x], x: x, y: y)
                }
                let difference = firstDifference(target) { x, y in
                    y % 2 == 0 ? exact(x, y) : exact(x, y - 1).mean(exact(x, y + 1 < height ? y + 1 : y - 1))
                }
                #expect(difference == nil, "\(width)x\(height), \(shape), \(skin)")
            }
        }
    }

    /// Skin in light as the camera takes it to be, in warm light, and numbers beyond any light.
    private let skins: [SkinColor] = {
        var skin = SkinColor(red: 150, yellow: 130, dark: 90, bright: 180)
        (skin.redSlope, skin.yellowSlope) = (-25, 14)
        var warm = SkinColor(red: 300, yellow: 270, dark: 90, bright: 180)
        warm.gray = LightGray(red: 90, yellow: 240)
        var extreme = SkinColor(red: 2032, yellow: -2048, dark: 16, bright: 17)
        (extreme.redSlope, extreme.yellowSlope, extreme.gray) = (32, -32, LightGray(red: -1008, yellow: 1008))
        return [skin, warm, extreme]
    }()

    @Test(arguments: Shape.allCases)
    func `Mixing and steadying are those of the reference`(shape: Shape) {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let general = cells(width, height, shape, seed: UInt64(index))
            let learned = cells(width, height, .noise, seed: UInt64(index) + 9)
            let steadied = cells(width, height, shape, seed: UInt64(index))
            SteadyingKernel.run(steadied, towards: learned, noise: SteadyingKernel.noiseOfFaces)
            for (share, rim) in [
                (0, 64), (8, 64), (8, nil), (131, 36), (248, nil), (256, 64), (256, 36), (256, nil),
            ] as [(Int, UInt8?)] {
                let mixed = CellPlane(width: width, height: height)
                MixingKernel.run(general, learned, share: share, rim: rim, to: mixed)
                var mistakes = 0
                for y in 0..<height {
                    for x in 0..<width {
                        let (a, b) = (general.row(y)[x], learned.row(y)[x])
                        let isRight =
                            mixed.row(y)[x] == MixingKernel.reference(a, b, share: share, rim: rim)
                            && steadied.row(y)[x]
                                == SteadyingKernel.reference(a, towards: b, noise: SteadyingKernel.noiseOfFaces)
                        mistakes += isRight ? 0 : 1
                    }
                }
                #expect(mistakes == 0, "\(width)x\(height), \(shape), \(share), \(rim ?? 0)")
            }
        }
    }

    @Test(arguments: Shape.allCases)
    func `Hair above a face is left as in the reference`(shape: Shape) {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let textured = cells(width, height, .noise, seed: UInt64(index) + 9)
            for face in [FaceRegion(x: 3, y: 6, side: 9), FaceRegion(x: -5, y: height - 4, side: 20)] {
                let before = cells(width, height, shape, seed: UInt64(index))
                let likelihood = cells(width, height, shape, seed: UInt64(index))
                HairKernel.run(likelihood, textured: textured, above: face)
                let columns = face.x - face.side / 4..<face.x + face.side + face.side / 4
                let rows = face.y - face.side * 6 / 10..<face.y + face.side / 8
                // Whole vectors are changed.
                let area = CellArea(columns: columns, rows: rows, of: likelihood)
                var mistakes = 0
                for y in 0..<height {
                    for x in 0..<width {
                        let old = before.row(y)[x]
                        let expected =
                            area.rows.contains(y) && area.columns.contains(x)
                            ? HairKernel.reference(likelihood: old, textured: textured.row(y)[x], y: y, face: face)
                            : old
                        mistakes += likelihood.row(y)[x] == expected ? 0 : 1
                    }
                }
                #expect(mistakes == 0, "\(width)x\(height), \(shape), \(face)")
            }
        }
    }

    @Test func `A steep rim keeps its place`() {
        func steep(_ sample: UInt8) -> UInt8 {
            MixingKernel.reference(0, sample, share: 256, rim: MixingKernel.evenRim)
        }
        #expect(steep(64) == 0 && steep(127) == 126 && steep(192) == 255 && steep(255) == 255)
    }
}

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
            var skin = SkinColor(red: 150, yellow: 130, dark: 90, bright: 180)
            if let learned { skin = learned }
            let target = CellPlane(width: width, height: height)
            let rows = CellPlane(width: width, height: 2)
            let faces = [FaceRegion(x: 3, y: 2, side: 9), FaceRegion(x: -5, y: height - 4, side: 20)]
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
            #expect(mistakes == 0, "\(width)x\(height), \(shape)")
        }
    }

    @Test(arguments: Shape.allCases)
    func `Fading, raising and steadying are those of the reference`(shape: Shape) {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let other = cells(width, height, shape, seed: UInt64(index) + 9)
            for strength in [0, 8, 131, 256] {
                func plane() -> CellPlane { cells(width, height, shape, seed: UInt64(index)) }
                let source = plane()
                let faded = plane()
                let raised = plane()
                let steadied = plane()
                FadingKernel.run(faded, strength: strength, adding: other)
                RaisingKernel.run(raised, to: other, atMost: strength)
                SteadyingKernel.run(steadied, towards: other, noise: SteadyingKernel.noiseOfFaces)
                var mistakes = 0
                for y in 0..<height {
                    for x in 0..<width {
                        let (old, new) = (source.row(y)[x], other.row(y)[x])
                        let isRight =
                            faded.row(y)[x] == FadingKernel.reference(old, strength: strength, adding: new)
                            && raised.row(y)[x] == RaisingKernel.reference(old, to: new, atMost: strength)
                            && steadied.row(y)[x]
                                == SteadyingKernel.reference(old, towards: new, noise: SteadyingKernel.noiseOfFaces)
                        mistakes += isRight ? 0 : 1
                    }
                }
                #expect(mistakes == 0, "\(width)x\(height), \(shape), \(strength)")
            }
        }
    }
}

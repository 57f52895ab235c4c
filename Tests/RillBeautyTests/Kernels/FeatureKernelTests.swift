import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

/// The kernels of lips and eyes give the very numbers of their references.
struct FeatureKernelTests {
    /// A part in the middle, and the whole.
    private func areas(_ plane: borrowing CellPlane) -> [CellArea] {
        [
            CellArea(columns: 0..<plane.width, rows: 0..<plane.height, of: plane),
            CellArea(columns: plane.width / 3..<plane.width - 2, rows: 2..<plane.height - 1, of: plane),
        ]
    }

    private func contains(_ area: CellArea, _ x: Int, _ y: Int) -> Bool {
        area.rows.contains(y) && area.columns.contains(x)
    }

    @Test(arguments: Shape.allCases)
    func `Hue is that of the reference`(shape: Shape) {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let u = cells(width, height, shape, seed: UInt64(index))
            let v = cells(width, height, shape, seed: UInt64(index) + 100)
            u.extendRows()
            v.extendRows()
            for (red, yellow) in [(16, 20), (240, 0), (0, 300), (-30, 60), (0, 0)] {
                let direction = HueKernel.Direction(red: red, yellow: yellow)
                for area in areas(u) {
                    let target = CellPlane(width: width, height: height)
                    HueKernel.run(u: u, v: v, direction, area, to: target)
                    let difference = firstDifference(target) { x, y in
                        contains(area, x, y) ? HueKernel.reference(u: u, v: v, direction, x, y) : 0
                    }
                    #expect(difference == nil, "\(width)x\(height), \(shape), \(red), \(yellow)")
                }
            }
        }
    }

    @Test(arguments: Shape.allCases)
    func `Lips and eyes are those of the reference`(shape: Shape) {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let hue = cells(width, height, index % 2 == 0 ? shape : .noise, seed: UInt64(index))
            let luma = cells(width, height, shape, seed: UInt64(index) + 100)
            for (mean, distance) in [(0, 1), (128, 3), (255, 7)] as [(UInt8, Int)] {
                for feature in [FeatureKernel.Feature.lips, .eyes] {
                    for area in areas(luma) {
                        let target = CellPlane(width: width, height: height)
                        FeatureKernel.run(
                            feature, hue: hue, luma: luma, mean: mean, distance: distance, area, to: target)
                        let difference = firstDifference(target) { x, y in
                            guard contains(area, x, y) else { return 0 }
                            return FeatureKernel.reference(
                                feature, hue: hue, luma: luma, mean: mean, distance: distance, x, y)
                        }
                        #expect(difference == nil, "\(width)x\(height), \(shape), \(feature), \(mean), \(distance)")
                    }
                }
            }
        }
    }

    @Test(arguments: Shape.allCases)
    func `Sparing and brightening are those of the reference`(shape: Shape) {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            func plane(_ seed: UInt64) -> CellPlane { cells(width, height, shape, seed: UInt64(index) + seed) }
            let lips = sparseCells(width, height, seed: UInt64(index) + 7)
            let (eyes, mask) = (Held(plane(100)), Held(sparseCells(width, height, seed: UInt64(index))))
            let (source, luma) = (Held(plane(200)), Held(plane(300)))
            for area in areas(lips) {
                let (spared, raised) = (Held(plane(200)), Held(plane(200)))
                SparingKernel.run(spared.plane, weights: lips, offset: 4, area)
                EyeLiftKernel.run(
                    raised.plane, eyes: eyes.plane, luma: luma.plane, mask: mask.plane, amount: 24, area)
                let difference = firstDifference(spared.plane) { x, y in
                    let sample = source.plane.row(y)[x]
                    guard contains(area, x, y) else { return sample }
                    return SparingKernel.reference(
                        sample, weight: SparingKernel.steppedReference(lips.row(y)[x], offset: 4))
                }
                let other = firstDifference(raised.plane) { x, y in
                    let sample = source.plane.row(y)[x]
                    guard contains(area, x, y) else { return sample }
                    return EyeLiftKernel.reference(
                        lift: sample, eyes: eyes.plane.row(y)[x], luma: luma.plane.row(y)[x],
                        mask: mask.plane.row(y)[x], amount: 24)
                }
                #expect(difference == nil && other == nil, "\(width)x\(height), \(shape)")
            }
        }
        #expect(SparingKernel.reference(200, weight: 255) == 0)
        #expect(SparingKernel.reference(200, weight: 0) == 200)
    }

    @Test(arguments: Shape.allCases)
    func `The color of lips is that of the reference`(shape: Shape) throws {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let lips = sparseCells(width, height, seed: UInt64(index) + 7)
            let source = cells(width, height, shape, seed: UInt64(index) + 50)
            for (amount, area) in zip([0, 14, 255] as [UInt8], areas(lips) + areas(lips)) {
                let written = Held(CellPlane(width: width, height: height))
                let before = Held(CellPlane(width: width, height: height))
                for y in 0..<height {
                    for x in 0..<width {
                        let sample = source.row(y)[x].plus(UInt8((x + y) % 9))
                        (written.plane.row(y)[x], before.plane.row(y)[x]) = (sample, sample)
                    }
                }
                // As of a picture: nothing beside the width may be touched.
                FeatureColorKernel.run(
                    PictureRows(reading: source), weights: lips, amount: amount, area,
                    to: PictureRows(reading: written.plane))
                let difference = firstDifference(written.plane) { x, y in
                    let sample = before.plane.row(y)[x]
                    guard contains(area, x, y) else { return sample }
                    return FeatureColorKernel.reference(
                        source.row(y)[x], written: sample, weight: lips.row(y)[x], amount: amount)
                }
                #expect(difference == nil, "\(width)x\(height), \(shape), \(amount)")
            }
        }
    }

    @Test func `Weights converge as in the reference`() {
        for old in 0...255 as ClosedRange<UInt8> {
            for new in 0...255 as ClosedRange<UInt8> {
                let moved = FeatureMap.moved(Bytes(repeating: old), Bytes(repeating: new))[3]
                let expected = FeatureMap.reference(old, new)
                #expect(moved == expected, "\(old) to \(new)")
            }
        }
        #expect(FeatureMap.reference(0, 1) == 1 && FeatureMap.reference(1, 0) == 0)
    }

    /// A plane in a class, which tuples can hold.
    private final class Held {
        let plane: CellPlane
        init(_ plane: consuming CellPlane) { self.plane = plane }
    }
}

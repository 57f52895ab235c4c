import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

/// Every kernel gives the very numbers of its scalar reference: all sizes, edges, strides and shapes of samples.
struct KernelTests {
    @Test(arguments: Shape.allCases)
    func boxesAreThoseOfTheReference(shape: Shape) {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let source = cells(width, height, shape, seed: UInt64(index))
            let target = cells(width, height, .noise, seed: 99)
            let selection = sparseCells(width, height, seed: UInt64(index))
            let sums = ColumnSums(width: width)
            for radius in 2...6 {
                let kernel = BoxKernel(sixteenthsOverRadius: radius)
                kernel.run(source, to: target, sums: sums)
                let difference = firstDifference(target) { kernel.reference(source, $0, $1) }
                #expect(difference == nil, "\(width)x\(height), radius \(radius), in sixteenths")
            }
            for radius in [1, 2, 3, 4, 5, 6, 7] {
                let kernel = BoxKernel(meanOverRadius: radius)
                kernel.run(source, to: target, sums: sums)
                let difference = firstDifference(target) { kernel.reference(source, $0, $1) }
                #expect(difference == nil, "\(width)x\(height), radius \(radius)")
                kernel.run(source, to: target, sums: sums, where: selection)
                let sparse = firstDifference(target) { x, y in
                    selection.row(y)[bytes: x / 16 * 16].isZero ? 0 : kernel.reference(source, x, y)
                }
                #expect(sparse == nil, "\(width)x\(height), radius \(radius), where there is skin")
            }
        }
    }

    @Test func meansAreExactOnFlatCellsAndSumsOnSmallOnes() {
        for radius in 1...7 {
            for value in [0, 1, 127, 128, 254, 255] as [UInt8] {
                let source = CellPlane(width: 20, height: 9)
                for y in 0..<9 { for x in source.row(y).range { source.row(y)[x] = value } }
                let mean = BoxKernel(meanOverRadius: radius).reference(source, 10, 4)
                #expect(mean == value, "radius \(radius)")
                guard value < 2 || radius == 1 && value <= 28 else { continue }
                let area = (2 * radius + 1) * (2 * radius + 1)
                let sum = BoxKernel(sumOverRadius: radius).reference(source, 10, 4)
                #expect(Int(sum) == min(255, area * Int(value)), "radius \(radius)")
            }
        }
    }

    @Test(arguments: [16, 17, 31, 32, 33, 50, 64, 95])
    func halvingIsThatOfTheReference(width: Int) throws {
        for height in [16, 17, 21] {
            for shape in Shape.allCases {
                let picture = try frame(width, height, shape, gap: width % 3, seed: 5)
                let luma = PictureRows(reading: picture, plane: 0)
                let target = cells((width + 1) / 2, (height + 1) / 2, .noise, seed: 3)
                HalvingKernel.run(luma, to: target)
                let difference = firstDifference(target) { HalvingKernel.reference(luma, $0, $1) }
                #expect(difference == nil, "\(width)x\(height), \(shape)")
            }
        }
    }

    @Test(arguments: Shape.allCases)
    func theMasksStepsAreThoseOfTheirReferences(shape: Shape) {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let seed = UInt64(10 * index)
            let a = cells(width, height, shape, seed: seed)
            let b = cells(width, height, .faint, seed: seed + 1)
            let c = cells(width, height, .noise, seed: seed + 2)
            let skin = sparseCells(width, height, seed: seed + 3)
            let target = cells(width, height, .noise, seed: seed + 4)
            let size = "\(width)x\(height)"

            LikelihoodKernel.run(u: b, v: a, luma: c, to: target)
            let likelihood = firstDifference(target) {
                LikelihoodKernel.reference(u: b.row($1)[$0], v: a.row($1)[$0], luma: c.row($1)[$0])
            }
            #expect(likelihood == nil, "likelihood, \(size)")

            TextureKernel.run(likelihood: c, mean: a, texture: b, allowance: 80, to: target)
            let texture = firstDifference(target) {
                TextureKernel.reference(
                    likelihood: c.row($1)[$0], mean: a.row($1)[$0], texture: b.row($1)[$0], allowance: 80)
            }
            #expect(texture == nil, "texture, \(size)")

            FlatnessKernel.run(mask: skin, mean: a, edges: c, allowance: 50, to: target)
            let flatness = firstDifference(target) {
                FlatnessKernel.reference(
                    mask: skin.row($1)[$0], mean: a.row($1)[$0], edges: c.row($1)[$0], allowance: 50)
            }
            #expect(flatness == nil, "flatness, \(size)")

            let mean = cells(width, height, .noise, seed: seed + 5)
            let before = cells(width, height, .noise, seed: seed + 5)
            DeviationKernel.run(luma: a, mean: mean, likelihood: skin, to: target)
            let deviation = firstDifference(target) {
                DeviationKernel.reference(
                    luma: a.row($1)[$0], mean: before.row($1)[$0], likelihood: skin.row($1)[$0])
            }
            #expect(deviation == nil, "deviation, \(size)")
            let means = firstDifference(mean) { x, y in
                skin.row(y)[bytes: x / 16 * 16].isZero ? a.row(y)[x] : before.row(y)[x]
            }
            #expect(means == nil, "means, \(size)")

            SteadyingKernel.run(mean, towards: b, likelihood: skin)
            let steadied = firstDifference(mean) { x, y in
                if skin.row(y)[bytes: x / 16 * 16].isZero { return 0 }
                return SteadyingKernel.reference(before.row(y)[x], towards: b.row(y)[x])
            }
            #expect(steadied == nil, "steadying, \(size)")

            let twice = cells(2 * width - index % 2, 2 * height - index % 2, .noise, seed: seed + 6)
            DoublingKernel.run(a, to: twice)
            let doubled = firstDifference(twice) { DoublingKernel.reference(a, $0, $1) }
            #expect(doubled == nil, "doubling, \(size)")
        }
    }

    @Test(arguments: [(16, 16), (17, 19), (33, 16), (64, 17), (65, 18), (99, 21)], [0, 1, 13])
    func theLastStepsAreThoseOfTheirReferences(size: (Int, Int), gap: Int) throws {
        let (width, height) = size
        for options in [BeautyOptions.natural, .strong, BeautyOptions(lighteningContrast: .low, sharpness: 0)] {
            for shape in Shape.allCases {
                let picture = try frame(width, height, shape, gap: gap, seed: 7)
                let (cellWidth, cellHeight) = ((width + 1) / 2, (height + 1) / 2)
                let mean = cells(cellWidth, cellHeight, shape, seed: 1)
                let mask = sparseCells(cellWidth, cellHeight, seed: 2)
                let flatness = sparseCells(cellWidth, cellHeight, seed: 3)
                for y in 0..<cellHeight {
                    for x in 0..<cellWidth { flatness.row(y)[x] = min(flatness.row(y)[x], mask.row(y)[x]) }
                    mean.extend(y)
                    mask.extend(y)
                    flatness.extend(y)
                }
                let pool = try FramePool(layout: picture.layout, capacity: 1)
                var target = try existing(pool.makeFrame())
                let kernel = LumaKernel(amounts: BeautyAmounts(options))
                let source = PictureRows(reading: picture, plane: 0)
                let output = PictureRows(writing: &target, plane: 0)
                kernel.run(
                    source, mean: mean, flatness: flatness, mask: mask,
                    blurred: CellPlane(width: width, height: 1), to: output)
                var difference: Difference?
                for y in 0..<height where difference == nil {
                    for x in 0..<width where difference == nil {
                        let wanted = kernel.reference(
                            source, x, y, mean: LumaKernel.enlarged(mean, x, y),
                            flatness: LumaKernel.enlarged(flatness, x, y), mask: LumaKernel.enlarged(mask, x, y))
                        let found = output.row(y)[x]
                        if found != wanted { difference = Difference(x: x, y: y, found: found, expected: wanted) }
                    }
                }
                #expect(difference == nil, "luma, \(options), \(shape)")

                let chroma = PictureRows(writing: &target, plane: 2)
                RednessKernel.run(mean, mask: mask, amount: 20, to: chroma)
                for y in 0..<chroma.height {
                    for x in 0..<chroma.width where difference == nil {
                        let wanted = RednessKernel.reference(mean.row(y)[x], mask: mask.row(y)[x], amount: 20)
                        let found = chroma.row(y)[x]
                        if found != wanted { difference = Difference(x: x, y: y, found: found, expected: wanted) }
                    }
                }
                #expect(difference == nil, "redness, \(shape)")
            }
        }
    }

    @Test func theCurveNeverFallsAndNeverClips() {
        for contrast in BeautyOptions.LighteningContrast.allCases {
            for lightening in [0, 0.25, 0.5, 0.6, 0.75, 1] {
                let options = BeautyOptions(
                    lighteningContrast: contrast, lightening: lightening, smoothness: 0, redness: 0, sharpness: 0)
                let kernel = LumaKernel(amounts: BeautyAmounts(options))
                for mask in [0, 1, 100, 255] as [UInt8] {
                    var last = -1
                    for sample in 0...255 {
                        let lightened = kernel.lightened(sample, mask: mask)
                        #expect(lightened >= last && lightened >= sample && lightened <= max(sample, 235))
                        if sample <= 16 || sample >= 235 { #expect(lightened == sample) }
                        last = lightened
                    }
                }
            }
        }
    }
}

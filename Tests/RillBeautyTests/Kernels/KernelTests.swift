import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

/// Every kernel gives the very numbers of its scalar reference: all sizes, edges, strides and shapes of samples.
struct KernelTests {
    @Test(arguments: Shape.allCases)
    func `Taps are those of the reference`(shape: Shape) {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let source = cells(width, height, shape, seed: UInt64(index))
            let small = cells(width, height, .small, seed: UInt64(index))
            for distance in [1, 2, 3, 8] {
                func compare<Operation: Tap>(_ tap: Operation.Type, _ source: borrowing CellPlane) -> Difference? {
                    let target = cells(width, height, .noise, seed: 99)
                    TapKernel.run(tap, source, distance: distance, row: cells(width, 1, .noise, seed: 98), to: target)
                    return firstDifference(target) { TapKernel.reference(tap, source, distance: distance, $0, $1) }
                }
                let place = "\(width)x\(height), distance \(distance)"
                let blur = compare(BlurTap.self, source)
                #expect(blur == nil, "blur, \(place)")
                let greatest = compare(MaximumTap.self, source)
                #expect(greatest == nil, "greatest, \(place)")
                let least = compare(MinimumTap.self, source)
                #expect(least == nil, "least, \(place)")
                let sum = compare(SumTap.self, small)
                #expect(sum == nil, "sum, \(place)")

                let mask = sparseCells(width, height, seed: UInt64(index))
                let wanted = spans(of: mask)
                let target = cells(width, height, .noise, seed: 97)
                TapKernel.run(
                    SumTap.self, small, distance: distance, row: cells(width, 1, .noise, seed: 98), spans: wanted,
                    to: target)
                let spanned = firstDifference(target) { x, y in
                    wanted[y].contains(x / 16)
                        ? TapKernel.reference(SumTap.self, small, distance: distance, x, y) : target.row(y)[x]
                }
                #expect(spanned == nil, "sum by spans, \(place)")
            }
        }
    }

    @Test(arguments: Shape.allCases)
    func `Pairs are those of the reference`(shape: Shape) {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let source = cells(width, height, shape, seed: UInt64(index))
            for direction in [PairKernel.Direction.leftAndAbove, .rightAndBelow] {
                func compare<Operation: Tap>(_ tap: Operation.Type) -> Difference? {
                    let target = cells(width, height, .noise, seed: 99)
                    PairKernel.run(tap, source, direction, row: cells(width, 1, .noise, seed: 98), to: target)
                    return firstDifference(target) { PairKernel.reference(tap, source, direction, $0, $1) }
                }
                let (least, greatest) = (compare(MinimumTap.self), compare(MaximumTap.self))
                #expect(least == nil && greatest == nil, "\(width)x\(height), \(direction)")
            }
        }
    }

    @Test func `Two by two samples stay, and lines do not`() {
        let source = CellPlane(width: 40, height: 20)
        let least = CellPlane(width: 40, height: 20)
        let target = CellPlane(width: 40, height: 20)
        for x in 0..<40 { source.row(7)[x] = 200 }
        for y in 0..<20 { source.row(y)[31] = 200 }
        for (x, y) in [(15, 11), (16, 11), (15, 12), (16, 12)] { source.row(y)[x] = 100 }
        PairKernel.run(MinimumTap.self, source, .rightAndBelow, row: CellPlane(width: 40, height: 1), to: least)
        PairKernel.run(MaximumTap.self, least, .leftAndAbove, row: CellPlane(width: 40, height: 1), to: target)
        for y in 0..<20 {
            for x in 0..<40 {
                let isSquare = (15...16).contains(x) && (11...12).contains(y)
                #expect(target.row(y)[x] == (isSquare ? 100 : 0), "\(x), \(y)")
            }
        }
    }

    @Test(arguments: Shape.allCases)
    func `Diffusion is that of the reference`(shape: Shape) {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let source = cells(width, height, shape, seed: UInt64(index))
            let selection = sparseCells(width, height, seed: UInt64(index))
            for (distance, isSpanned) in [(1, false), (1, true), (2, true), (4, false), (8, true)] {
                let target = cells(width, height, .noise, seed: 99)
                DiffusionKernel.run(
                    source, distance: distance, where: selection, spans: isSpanned ? spans(of: selection) : nil,
                    to: target)
                let difference = firstDifference(target) { x, y in
                    selection.row(y)[bytes: x / 16 * 16].isZero
                        ? source.row(y)[x] : DiffusionKernel.reference(source, distance: distance, x, y)
                }
                #expect(difference == nil, "\(width)x\(height), distance \(distance)")
            }
        }
    }

    @Test(arguments: [16, 17, 31, 32, 33, 50, 64, 95])
    func `Halving is that of the reference`(width: Int) throws {
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
    func `The mask's steps are those of their references`(shape: Shape) {
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

            let limits = LumaLimits(least: 30, slope: 90)
            TextureKernel.run(likelihood: c, luma: a, texture: b, limits: limits, to: target)
            let texture = firstDifference(target) {
                TextureKernel.reference(
                    likelihood: c.row($1)[$0], luma: a.row($1)[$0], texture: b.row($1)[$0], limits: limits)
            }
            #expect(texture == nil, "texture, \(size)")

            // A plane that was filled for another mask, where that one was skin: it is 0 there again.
            let other = sparseCells(width, height, seed: seed + 6)
            let lasting = CellPlane(width: width, height: height)
            let blocks = cells((width + 1) / 2, (height + 1) / 2, shape, seed: seed + 7)
            blocks.extendRows()
            FlatnessKernel.run(
                skin: blocks, mask: other, luma: a, edges: c, spans: spans(of: other), limits: limits, to: lasting)
            FlatnessKernel.run(
                skin: blocks, mask: skin, luma: a, edges: c, spans: spans(of: skin, after: other), limits: limits,
                to: lasting)
            let flatness = firstDifference(lasting) {
                FlatnessKernel.reference(
                    skin: EnlargingKernel.reference(blocks, $0, $1), mask: skin.row($1)[$0], luma: a.row($1)[$0],
                    edges: c.row($1)[$0], limits: limits)
            }
            #expect(flatness == nil, "flatness, \(size)")

            for contrast in BeautyOptions.LighteningContrast.allCases {
                let amounts = BeautyAmounts(BeautyOptions(lighteningContrast: contrast, lightening: 1))
                let lasting = CellPlane(width: width, height: height)
                LiftKernel.run(luma: a, mask: other, spans: spans(of: other), amounts: amounts, to: lasting)
                LiftKernel.run(
                    luma: a, mask: skin, spans: spans(of: skin, after: other), amounts: amounts, to: lasting)
                let lift = firstDifference(lasting) {
                    LiftKernel.reference(luma: a.row($1)[$0], mask: skin.row($1)[$0], amounts: amounts)
                }
                #expect(lift == nil, "lift, \(contrast), \(size)")
            }

            let limited = cells(width, height, shape, seed: seed)
            LimitKernel.run(limited, by: c)
            let limitedness = firstDifference(limited) {
                LimitKernel.reference(a.row($1)[$0], limit: c.row($1)[$0])
            }
            #expect(limitedness == nil, "limited, \(size)")
            let raised = cells(width, height, shape, seed: seed)
            LimitKernel.run(raised, atLeast: c)
            let raisedness = firstDifference(raised) {
                LimitKernel.reference(a.row($1)[$0], atLeast: c.row($1)[$0])
            }
            #expect(raisedness == nil, "raised, \(size)")

            let small = cells(width, height, .small, seed: seed)
            DeviationKernel.eighths(of: small, where: skin, to: target)
            let eighths = firstDifference(target) {
                DeviationKernel.eighths(of: small.row($1)[$0], likelihood: skin.row($1)[$0])
            }
            #expect(eighths == nil, "deviation in eighths, \(size)")

            let mask = cells(width, height, .noise, seed: seed + 5)
            let before = cells(width, height, .noise, seed: seed + 5)
            SteadyingKernel.run(mask, towards: b)
            let steadied = firstDifference(mask) {
                SteadyingKernel.reference(before.row($1)[$0], towards: b.row($1)[$0])
            }
            #expect(steadied == nil, "steadying, \(size)")
        }
    }

    @Test(arguments: Shape.allCases)
    func `Enlarged planes equal those of the references`(shape: Shape) {
        for (index, (width, height)) in awkwardSizes.enumerated() {
            let blocks = cells(width, height, shape, seed: UInt64(index))
            let skin = sparseCells(width, height, seed: UInt64(index))
            blocks.extendRows()
            for isOdd in [0, 1] {
                let size = (2 * width - isOdd, 2 * height - isOdd)
                let target = cells(size.0, size.1, .noise, seed: 6)
                EnlargingKernel.run(blocks, to: target)
                let enlarged = firstDifference(target) { EnlargingKernel.reference(blocks, $0, $1) }
                #expect(enlarged == nil, "enlarged, \(size)")
                skin.extendRows()
                let other = sparseCells(width, height, seed: UInt64(index) + 100)
                other.extendRows()
                let lasting = CellPlane(width: size.0, height: size.1)
                EnlargingKernel.run(other, spans: spans(of: other), to: lasting)
                EnlargingKernel.run(skin, spans: spans(of: skin, after: other), to: lasting)
                let sparse = firstDifference(lasting) { EnlargingKernel.reference(skin, $0, $1) }
                #expect(sparse == nil, "enlarged by spans, \(size)")

                let luma = cells(size.0, size.1, .noise, seed: 7)
                DeviationKernel.run(luma: luma, surroundings: blocks, where: skin, to: target)
                let deviation = firstDifference(target) { x, y in
                    let rows = EnlargingKernel.rows(of: skin, y)
                    let first = x / 32 * 16
                    if (rows.0[bytes: first] | rows.1[bytes: first]).isZero { return 0 }
                    return DeviationKernel.reference(
                        luma: luma.row(y)[x], surroundings: EnlargingKernel.reference(blocks, x, y))
                }
                #expect(deviation == nil, "deviation, \(size)")
            }
        }
    }

    @Test(arguments: [(16, 16), (17, 19), (33, 16), (64, 17), (65, 18), (99, 21)], [0, 1, 13])
    func `The last steps are those of their references`(size: (Int, Int), gap: Int) throws {
        let (width, height) = size
        for options in [BeautyOptions.natural, .strong, BeautyOptions(lighteningContrast: .low, sharpness: 0)] {
            for shape in Shape.allCases {
                let picture = try frame(width, height, shape, gap: gap, seed: 7)
                let (cellWidth, cellHeight) = ((width + 1) / 2, (height + 1) / 2)
                let smooth = cells(cellWidth, cellHeight, shape, seed: 1)
                let mask = sparseCells(cellWidth, cellHeight, seed: 2)
                let flatness = sparseCells(cellWidth, cellHeight, seed: 3)
                let lift = sparseCells(cellWidth, cellHeight, seed: 4)
                for y in 0..<cellHeight {
                    for x in 0..<cellWidth {
                        flatness.row(y)[x] = min(flatness.row(y)[x], mask.row(y)[x])
                        lift.row(y)[x] = min(lift.row(y)[x] / 8, mask.row(y)[x])
                    }
                }
                smooth.extendRows()
                mask.extendRows()
                flatness.extendRows()
                lift.extendRows()
                let pool = try FramePool(layout: picture.layout, capacity: 1)
                var target = try existing(pool.makeFrame())
                let kernel = LumaKernel(amounts: BeautyAmounts(options))
                let source = PictureRows(reading: picture, plane: 0)
                let output = PictureRows(writing: &target, plane: 0)
                kernel.run(
                    source, smooth: smooth, flatness: flatness, lift: lift, mask: mask,
                    spans: spans(of: mask), rows: CellPlane(width: width, height: 3), to: output)
                let luma = firstDifference(output) { x, y in
                    kernel.reference(
                        source, x, y, smooth: EnlargingKernel.reference(smooth, x, y),
                        flatness: EnlargingKernel.reference(flatness, x, y),
                        lift: EnlargingKernel.reference(lift, x, y))
                }
                #expect(luma == nil, "luma, \(options), \(shape)")

                let red = PictureRows(reading: picture, plane: 2)
                let chroma = PictureRows(writing: &target, plane: 2)
                RednessKernel.run(red, mask: mask, spans: spans(of: mask), amount: 20, to: chroma)
                let redness = firstDifference(chroma) { x, y in
                    RednessKernel.reference(red.row(y)[x], mask: mask.row(y)[x], amount: 20)
                }
                #expect(redness == nil, "redness, \(shape)")
            }
        }
    }

    @Test func `The curve never falls and never clips`() {
        for contrast in BeautyOptions.LighteningContrast.allCases {
            for lightening in [0, 0.25, 0.5, 0.6, 0.75, 1] {
                let amounts = BeautyAmounts(BeautyOptions(lighteningContrast: contrast, lightening: lightening))
                for mask in [0, 1, 100, 255] as [UInt8] {
                    var last = -1
                    for sample in 0...255 as ClosedRange<UInt8> {
                        let lift = LiftKernel.reference(luma: sample, mask: mask, amounts: amounts)
                        let lightened = Int(sample) + Int(min(lift, UInt8(235).less(sample) >> 1))
                        #expect(lightened >= last && lightened <= max(Int(sample), 235))
                        if sample <= 16 || sample >= 235 { #expect(lift == 0) }
                        last = lightened
                    }
                }
            }
        }
    }
}

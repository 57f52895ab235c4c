import RillCore

/// The last step, at full resolution: smoothing, lightening and sharpening of luma in one pass.
///
/// Y is the captured luma. M (smooth luma), F (flatness) and L (lift) are the enlarged values of the cells:
///
/// ```text
/// Y1 = Y + (M - Y) F·smoothing                 removes pores from smooth skin, as far as requested
/// Y2 = Y1 + min(L, (235 - Y1) 3/4)             keeps bright samples within the range, and in their order
/// Y3 = Y2 ± step(|Y - mean of 4 around Y|)     moves edges by a few code values; not where F is high
/// ```
struct LumaKernel {
    private let smoothing: UInt8
    private let edgeLimit: UInt8
    /// The differences from the surroundings up to which an edge moves by 0, 1, 2 and 3 code values. With so few
    /// steps, comparing takes fewer instructions than multiplying.
    private let steps: (UInt8, UInt8, UInt8, UInt8)
    private let amounts: BeautyAmounts

    init(amounts: BeautyAmounts) {
        self.amounts = amounts
        smoothing = amounts.smoothing
        edgeLimit = amounts.edgeLimit
        func last(_ change: Int) -> UInt8 {
            UInt8((0...255).last { LumaKernel.change(of: UInt8($0), amounts) <= change } ?? 255)
        }
        steps = (last(0), last(1), last(2), last(3))
    }

    /// Returns how far an edge moves whose luma differs by `distance` from its surroundings.
    private static func change(of distance: UInt8, _ amounts: BeautyAmounts) -> Int {
        let difference = min(distance.less(core), greatestDifference)
        return min((Int(difference) * Int(amounts.sharpening) + 128) >> 8, Int(amounts.edgeLimit))
    }

    /// Differences up to this are noise and are not sharpened.
    private static let core: UInt8 = 4
    /// Larger differences are clamped to this.
    private static let greatestDifference: UInt8 = 41

    // MARK: - Sixteen cells: 32 pixels of two rows

    /// Runs the step.
    ///
    /// Rows are computed in pairs between the same two rows of cells, so loads are shared. The first and the last row
    /// may be unpaired; their partner's result is discarded.
    ///
    /// - Parameters:
    ///   - source: the captured luma.
    ///   - smooth: the luma that smooth skin moves toward, per cell. Like the other three, its rows must be extended
    ///     by one sample on both sides (``CellPlane/extendRows()``).
    ///   - flatness: how much of each cell is smooth skin.
    ///   - lift: how much each cell is lightened.
    ///   - mask: the mask, outside of which flatness and lift are 0.
    ///   - spans: the spans of the mask.
    ///   - rows: three rows as wide as the picture: two for vectors that read past the ends, one for discarded
    ///     results.
    ///   - target: the luma to write.
    func run(
        _ source: PictureRows, smooth: borrowing CellPlane, flatness: borrowing CellPlane, lift: borrowing CellPlane,
        mask: borrowing CellPlane, spans: MaskSpans, rows: borrowing CellPlane, to target: PictureRows
    ) {
        let (first, second) = (rows.row(0), rows.row(1))
        for pair in 0...source.height / 2 {
            let (y, next) = (2 * pair - 1, 2 * pair)
            let (upper, lower) = (max(0, pair - 1), min(mask.height - 1, pair))
            let cells = CellRows(
                smooth: (smooth.row(upper), smooth.row(lower)), flatness: (flatness.row(upper), flatness.row(lower)),
                lift: (lift.row(upper), lift.row(lower)), mask: (mask.row(upper), mask.row(lower)))
            first.copy(source.nearestRow(y), count: source.width)
            rows.extend(0)
            second.copy(source.nearestRow(next), count: source.width)
            rows.extend(1)
            let pixels = PixelRows(
                above: source.nearestRow(y - 1), first: first, second: second, below: source.nearestRow(next + 1),
                firstOutput: y >= 0 ? target.row(y) : rows.row(2),
                secondOutput: next < source.height ? target.row(next) : rows.row(2))
            // Whole vectors of pixels; each vector of cells covers two.
            let span = spans.around(upper, lower).clamped(to: 0..<source.width / 32)
            // For each number of steps there is code that makes no more comparisons than necessary.
            switch edgeLimit {
            case 0: fill(pixels, cells, span, source.width, NoStep.self)
            case 1, 2: fill(pixels, cells, span, source.width, TwoSteps.self)
            default: fill(pixels, cells, span, source.width, FourSteps.self)
            }
            for y in max(0, y)...min(next, source.height - 1) {
                for x in source.width / 32 * 32..<source.width {
                    target.row(y)[x] = reference(
                        source, x, y, smooth: EnlargingKernel.reference(smooth, x, y),
                        flatness: EnlargingKernel.reference(flatness, x, y), lift: EnlargingKernel.reference(lift, x, y)
                    )
                }
            }
        }
    }

    /// The rows of cells around a pair of rows of pixels: the upper and the lower one of each plane.
    private struct CellRows {
        var smooth, flatness, lift, mask: (Row, Row)
    }

    private struct PixelRows {
        var above, first, second, below, firstOutput, secondOutput: Row

        /// Returns the mean of the left and right neighbors of each sample, which the edge detection uses.
        @inline(__always)
        static func around(_ row: Row, _ x: Int) -> Bytes { row[bytes: x &- 1].mean(row[bytes: x &+ 1]) }
    }

    /// Fills a pair of rows as far as whole pairs of vectors go. Only `span` of them may contain skin.
    private func fill<Steps: EdgeSteps>(
        _ pixels: PixelRows, _ cells: CellRows, _ span: Range<Int>, _ width: Int, _: Steps.Type
    ) {
        sharpen(pixels, 0, span.lowerBound, Steps.self)
        beautify(pixels, cells, span, Steps.self)
        sharpen(pixels, span.upperBound, width / 32, Steps.self)
    }

    private func sharpen<Steps: EdgeSteps>(_ pixels: PixelRows, _ first: Int, _ end: Int, _: Steps.Type) {
        let edges = EdgeLimits(steps)
        var x = 32 &* first
        while x < 32 &* end {
            sharpen(pixels, x, edges, Steps.self)
            sharpen(pixels, x &+ 16, edges, Steps.self)
            x &+= 32
        }
    }

    /// Processes pixels without skin: sharpening only.
    @inline(__always)
    private func sharpen<Steps: EdgeSteps>(_ pixels: PixelRows, _ x: Int, _ edges: EdgeLimits, _: Steps.Type) {
        let (first, second) = (pixels.first[bytes: x], pixels.second[bytes: x])
        guard Steps.count > 0 else {
            pixels.firstOutput[bytes: x] = first
            pixels.secondOutput[bytes: x] = second
            return
        }
        let upper = edge(first, pixels.above[bytes: x], second, PixelRows.around(pixels.first, x), edges, Steps.self)
        // Subtracts first, unlike the code for skin: otherwise both would be merged into one tail with a branch
        // before it.
        pixels.firstOutput[bytes: x] = first.less(upper.change.smaller(upper.down)).plus(upper.change.smaller(upper.up))
        let lower = edge(second, first, pixels.below[bytes: x], PixelRows.around(pixels.second, x), edges, Steps.self)
        pixels.secondOutput[bytes: x] = second.less(lower.change.smaller(lower.down))
            .plus(lower.change.smaller(lower.up))
    }

    private func beautify<Steps: EdgeSteps>(
        _ pixels: PixelRows, _ cells: CellRows, _ span: Range<Int>, _: Steps.Type
    ) {
        let edges = EdgeLimits(steps)
        let smoothing = Smoothing(smoothing)
        var x = 16 &* span.lowerBound
        while x < 16 &* span.upperBound {
            let left = cells.mask.0[bytes: x &- 1] | cells.mask.1[bytes: x &- 1]
            let right = cells.mask.0[bytes: x &+ 1] | cells.mask.1[bytes: x &+ 1]
            let first = 2 &* x
            let second = first &+ 16
            if (left | right).isZero {
                sharpen(pixels, first, edges, Steps.self)
                sharpen(pixels, second, edges, Steps.self)
            } else {
                let smooth = EnlargingKernel.pairs(cells.smooth, x)
                let flatness = EnlargingKernel.pairs(cells.flatness, x)
                let lift = EnlargingKernel.pairs(cells.lift, x)
                beautify(
                    pixels, first, SkinCells(smooth.upper.0, flatness.upper.0, lift.upper.0),
                    SkinCells(smooth.lower.0, flatness.lower.0, lift.lower.0), smoothing, edges, Steps.self)
                beautify(
                    pixels, second, SkinCells(smooth.upper.1, flatness.upper.1, lift.upper.1),
                    SkinCells(smooth.lower.1, flatness.lower.1, lift.lower.1), smoothing, edges, Steps.self)
            }
            x &+= 16
        }
    }

    /// The values of the cells at sixteen pixels.
    private struct SkinCells {
        let smooth, flatness, lift: Bytes

        @inline(__always)
        init(_ smooth: Bytes, _ flatness: Bytes, _ lift: Bytes) {
            (self.smooth, self.flatness, self.lift) = (smooth, flatness, lift)
        }
    }

    /// Processes skin: all three operations.
    @inline(__always)
    private func beautify<Steps: EdgeSteps>(
        _ pixels: PixelRows, _ x: Int, _ upper: SkinCells, _ lower: SkinCells, _ smoothing: Smoothing,
        _ edges: EdgeLimits, _: Steps.Type
    ) {
        let (first, second) = (pixels.first[bytes: x], pixels.second[bytes: x])
        let (above, below) = (pixels.above[bytes: x], pixels.below[bytes: x])
        pixels.firstOutput[bytes: x] = beautiful(
            first, above, second, PixelRows.around(pixels.first, x), upper, smoothing, edges, Steps.self)
        pixels.secondOutput[bytes: x] = beautiful(
            second, first, below, PixelRows.around(pixels.second, x), lower, smoothing, edges, Steps.self)
    }

    @inline(__always)
    private func beautiful<Steps: EdgeSteps>(
        _ samples: Bytes, _ above: Bytes, _ below: Bytes, _ across: Bytes, _ cells: SkinCells, _ smoothing: Smoothing,
        _ edges: EdgeLimits, _: Steps.Type
    ) -> Bytes {
        let (rise, fall) = (cells.smooth.less(samples), samples.less(cells.smooth))
        let distance = rise | fall
        let step = Bytes(
            even: smoothing.share(distance.evenWords &* cells.flatness.evenWords),
            odd: smoothing.share(distance.oddWords &* cells.flatness.oddWords))
        let skin = samples &+ step.smaller(rise) &- step.smaller(fall)
        let room = Bytes(repeating: 235).less(skin)
        let light = skin &+ cells.lift.smaller(room.less((room &+ 3) &>> 2))
        guard Steps.count > 0 else { return light }
        let edge = edge(samples, above, below, across, edges, Steps.self)
        let allowed = edge.change.smaller((~cells.flatness) &>> 5)
        return light.plus(allowed.smaller(edge.up)).less(allowed.smaller(edge.down))
    }

    /// Computes the part of a distance to move, from its product with flatness. Rounded to nearest; otherwise a
    /// texture of one code value would stay.
    private struct Smoothing {
        let amount, half: Words

        init(_ amount: UInt8) {
            self.amount = Words(repeating: UInt16(amount))
            half = Words(repeating: LumaKernel.half(amount))
        }

        @inline(__always)
        func share(_ product: Words) -> Words { (product &+ half).upperProduct(amount) }
    }

    /// Returns the value that becomes a half when multiplied by an amount, limited so that 255 times 255 plus it fits
    /// 16 bits.
    private static func half(_ amount: UInt8) -> UInt16 { UInt16(min(510, 32768 / max(1, Int(amount)))) }

    /// How far edges move, and how far samples are above and below their surroundings. One of the two distances is 0,
    /// and the other is at least the change: the minimum of change and distance is the change or 0.
    private struct Edge {
        let change, up, down: Bytes
    }

    /// Measures the edges.
    ///
    /// - Parameters:
    ///   - samples: the samples.
    ///   - above: the samples one row above.
    ///   - below: the samples one row below.
    ///   - across: the mean of the left and right neighbors.
    ///   - edges: the differences at which the change grows.
    @inline(__always)
    private func edge<Steps: EdgeSteps>(
        _ samples: Bytes, _ above: Bytes, _ below: Bytes, _ across: Bytes, _ edges: EdgeLimits, _: Steps.Type
    ) -> Edge {
        let surroundings = above.mean(below).mean(across)
        let up = samples.less(surroundings)
        let down = surroundings.less(samples)
        let distance = up | down
        // Each comparison is -1 where it holds.
        var change = .zero &- distance.isMore(than: edges.first) &- distance.isMore(than: edges.second)
        if Steps.count > 2 {
            change = change &- distance.isMore(than: edges.third) &- distance.isMore(than: edges.fourth)
        }
        return Edge(change: change, up: up, down: down)
    }

    /// The differences above which an edge moves by one more code value.
    private struct EdgeLimits {
        let first, second, third, fourth: Bytes

        init(_ steps: (UInt8, UInt8, UInt8, UInt8)) {
            first = Bytes(repeating: steps.0)
            second = Bytes(repeating: steps.1)
            third = Bytes(repeating: steps.2)
            fourth = Bytes(repeating: steps.3)
        }
    }

    // MARK: - One pixel: the specification

    func reference(
        _ source: PictureRows, _ x: Int, _ y: Int, smooth: UInt8, flatness: UInt8, lift: UInt8
    ) -> UInt8 {
        let sample = source.row(y)[x]
        let distance = sample > smooth ? sample - smooth : smooth - sample
        let product = Int(distance) * Int(flatness) + Int(LumaKernel.half(smoothing))
        let step = min(distance, UInt8((product * Int(smoothing)) >> 16))
        let skin = sample > smooth ? sample - step : sample + step
        let room = UInt8(235).less(skin)
        let light = skin + min(lift, room - (room + 3) >> 2)
        return UInt8(max(0, min(255, Int(light) + edge(source, x, y, flatness: flatness))))
    }

    private func edge(_ source: PictureRows, _ x: Int, _ y: Int, flatness: UInt8) -> Int {
        guard edgeLimit > 0 else { return 0 }
        let row = source.row(y)
        let across = row[max(0, x - 1)].mean(row[min(source.width - 1, x + 1)])
        let surroundings = source.nearestRow(y - 1)[x].mean(source.nearestRow(y + 1)[x]).mean(across)
        let sample = row[x]
        let distance = sample > surroundings ? sample - surroundings : surroundings - sample
        let change = min(LumaKernel.change(of: distance, amounts), Int((255 - flatness) >> 5))
        return surroundings > sample ? -change : change
    }
}

/// The maximum number of code values that an edge may move by.
private protocol EdgeSteps {
    static var count: Int { get }
}

private enum NoStep: EdgeSteps {
    static var count: Int { 0 }
}

private enum TwoSteps: EdgeSteps {
    static var count: Int { 2 }
}

private enum FourSteps: EdgeSteps {
    static var count: Int { 4 }
}

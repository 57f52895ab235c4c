/// The last step, at full resolution: smoothing, lightening and sharpening of luma in one pass.
///
/// With Y the captured luma, and M (mean), F (flatness) and W (mask) of the cells brought to its place:
///
///     Y1 = Y + (M - Y) F·smoothing                 smooth skin goes towards the mean, and keeps a part of its texture
///     Y2 = Y1 + W·lift(Y1)                         lift is 0 at 16 and at 235, and greatest between
///     Y3 = Y2 ± step(|Y - blurred Y|)              away from its surroundings, by a few code values; none where F is high
struct LumaKernel {
    let amounts: BeautyAmounts
    /// The differences from the blurred picture up to which an edge moves by 0, 1, 2 and 3 code values: with so few of
    /// them, comparing takes fewer instructions than multiplying.
    private let steps: (UInt8, UInt8, UInt8, UInt8)

    init(amounts: BeautyAmounts) {
        self.amounts = amounts
        func last(_ change: Int) -> UInt8 {
            UInt8((0...255).last { LumaKernel.change(of: UInt8($0), amounts) <= change } ?? 255)
        }
        steps = (last(0), last(1), last(2), last(3))
    }

    /// By how much an edge moves whose luma is so far from the blurred one.
    private static func change(of distance: UInt8, _ amounts: BeautyAmounts) -> Int {
        let difference = min(distance.less(core), greatestDifference)
        return min((Int(difference) * Int(amounts.sharpening) + 128) >> 8, Int(amounts.edgeLimit))
    }

    /// Differences of luma this small are noise, and are not sharpened.
    private static let core: UInt8 = 3
    /// Those that are larger count as this.
    private static let greatestDifference: UInt8 = 31

    // MARK: - Sixteen cells: 32 pixels of a row

    func run(
        _ source: PictureRows, mean: borrowing CellPlane, flatness: borrowing CellPlane, mask: borrowing CellPlane,
        blurred: borrowing CellPlane, to target: PictureRows
    ) {
        for y in 0..<source.height {
            let input = source.row(y)
            let output = target.row(y)
            if amounts.sharpening > 0 { blur(source, y, to: blurred) }
            let near = y >> 1
            let far = max(0, min(mean.height - 1, near + 2 * (y & 1) - 1))
            let masks = (mask.row(near), mask.row(far))
            let means = (mean.row(near), mean.row(far))
            let flats = (flatness.row(near), flatness.row(far))
            let blurs = blurred.row(0)
            var x = 0
            while 2 &* x &+ 32 <= source.width {
                let left = masks.0[bytes: x &- 1] | masks.1[bytes: x &- 1]
                let right = masks.0[bytes: x &+ 1] | masks.1[bytes: x &+ 1]
                if (left | right).isZero {
                    finish(input, 2 &* x, blurs, output)
                    finish(input, 2 &* x &+ 16, blurs, output)
                } else {
                    let mean = enlarged(means, x)
                    let flat = enlarged(flats, x)
                    let mask = enlarged(masks, x)
                    finish(input, 2 &* x, mean.0, flat.0, mask.0, blurs, output)
                    finish(input, 2 &* x &+ 16, mean.1, flat.1, mask.1, blurs, output)
                }
                x &+= 16
            }
            for x in 2 * x..<source.width {
                output[x] = reference(
                    source, x, y, mean: Self.enlarged(mean, x, y), flatness: Self.enlarged(flatness, x, y),
                    mask: Self.enlarged(mask, x, y))
            }
        }
    }

    /// Sixteen cells as 32 pixels: each three parts of its own cell and one of its neighbour's, down and then across.
    @inline(__always)
    private func enlarged(_ rows: (Row, Row), _ x: Int) -> (Bytes, Bytes) {
        let middle = mixed(rows, x)
        let left = middle.mean(middle.mean(mixed(rows, x &- 1)))
        let right = middle.mean(middle.mean(mixed(rows, x &+ 1)))
        return left.interleaved(with: right)
    }

    @inline(__always)
    private func mixed(_ rows: (Row, Row), _ x: Int) -> Bytes {
        let near = rows.0[bytes: x]
        return near.mean(near.mean(rows.1[bytes: x]))
    }

    /// Blurs row y with its neighbours, 1 2 1, and continues it by a sample on both sides.
    private func blur(_ source: PictureRows, _ y: Int, to blurred: borrowing CellPlane) {
        let (above, here, below) = (source.nearestRow(y - 1), source.row(y), source.nearestRow(y + 1))
        let output = blurred.row(0)
        var x = 0
        while x + 16 <= source.width {
            output[bytes: x] = here[bytes: x].mean(above[bytes: x].mean(below[bytes: x]))
            x += 16
        }
        while x < source.width {
            output[x] = here[x].mean(above[x].mean(below[x]))
            x += 1
        }
        blurred.extend(0)
    }

    /// No skin: sharpening alone.
    @inline(__always)
    private func finish(_ input: Row, _ x: Int, _ blurs: Row, _ output: Row) {
        let samples = input[bytes: x]
        guard amounts.sharpening > 0 else {
            output[bytes: x] = samples
            return
        }
        output[bytes: x] = sharpened(samples, samples, blurs, x, flat: .zero)
    }

    @inline(__always)
    private func finish(
        _ input: Row, _ x: Int, _ mean: Bytes, _ flat: Bytes, _ mask: Bytes, _ blurs: Row, _ output: Row
    ) {
        let samples = input[bytes: x]
        let share = flat.share(Bytes(repeating: amounts.smoothing))
        let low = lightened(smoothed(samples.lowWords, mean.lowWords, share.lowWords), mask.lowWords)
        let high = lightened(smoothed(samples.highWords, mean.highWords, share.highWords), mask.highWords)
        let skin = Bytes(low, high)
        output[bytes: x] = amounts.sharpening > 0 ? sharpened(skin, samples, blurs, x, flat: flat) : skin
    }

    @inline(__always)
    private func smoothed(_ samples: Words, _ means: Words, _ share: Words) -> Words {
        // With seven bits of the share the product fits sixteen with its sign. The same bits, with a sign and without.
        let product = unsafe unsafeBitCast((means &- samples) &* (share &>> 1), to: SIMD8<Int16>.self)
        return unsafe samples &+ unsafeBitCast(product &>> 7, to: Words.self)
    }

    @inline(__always)
    private func lightened(_ samples: Words, _ mask: Words) -> Words {
        let above = samples.less(Words(repeating: 16))
        let below = Words(repeating: 235).less(samples)
        let curve =
            Words(repeating: UInt16(bitPattern: amounts.lift)) &+ above
            &* Words(repeating: UInt16(bitPattern: amounts.liftSlope))
        let lift = (above &* below &<< 2).upperProduct(curve).upperProduct(mask &<< 8)
        return samples &+ ((lift &+ 128) &>> 8)
    }

    /// `light` with the edges of `samples`.
    @inline(__always)
    private func sharpened(_ light: Bytes, _ samples: Bytes, _ blurs: Row, _ x: Int, flat: Bytes) -> Bytes {
        let blurred = blurs[bytes: x].mean(blurs[bytes: x &- 1].mean(blurs[bytes: x &+ 1]))
        // One of the two is 0.
        let up = samples.less(blurred)
        let down = blurred.less(samples)
        let distance = up | down
        let change =
            distance.isMore(than: steps.0) &+ distance.isMore(than: steps.1) &+ distance.isMore(than: steps.2)
            &+ distance.isMore(than: steps.3)
        let allowed = change.smaller((~flat) &>> 5)
        // Where there is a change, the distance is at least as much: the smaller one is the change or 0.
        return light.plus(allowed.smaller(up)).less(allowed.smaller(down))
    }

    // MARK: - One pixel: the specification

    /// The cells' numbers at a pixel.
    static func enlarged(_ plane: borrowing CellPlane, _ x: Int, _ y: Int) -> UInt8 {
        let column = x >> 1
        let other = max(0, min(plane.width - 1, column + 2 * (x & 1) - 1))
        let (near, far) = (plane.row(y >> 1), plane.nearestRow((y >> 1) + 2 * (y & 1) - 1))
        func mixed(_ x: Int) -> UInt8 { near[x].mean(near[x].mean(far[x])) }
        return mixed(column).mean(mixed(column).mean(mixed(other)))
    }

    func reference(_ source: PictureRows, _ x: Int, _ y: Int, mean: UInt8, flatness: UInt8, mask: UInt8) -> UInt8 {
        let sample = source.row(y)[x]
        let share = flatness.share(amounts.smoothing) >> 1
        let smooth = Int(sample) + ((Int(mean) - Int(sample)) * Int(share)) >> 7
        let light = lightened(smooth, mask: mask)
        return UInt8(max(0, min(255, light + edge(source, x, y, flatness: flatness))))
    }

    /// The curve: u (235 - Y) / 11990 of the lift, with u = Y - 16, where lift itself may change with u.
    func lightened(_ sample: Int, mask: UInt8) -> Int {
        let (above, below) = (max(0, sample - 16), max(0, 235 - sample))
        let curve = Int(amounts.lift) + above * Int(amounts.liftSlope)
        let lift = (((4 * above * below * curve) >> 16) * Int(mask) << 8) >> 16
        return sample + (lift + 128) >> 8
    }

    private func edge(_ source: PictureRows, _ x: Int, _ y: Int, flatness: UInt8) -> Int {
        guard amounts.sharpening > 0 else { return 0 }
        let rows = (source.nearestRow(y - 1), source.row(y), source.nearestRow(y + 1))
        func down(_ x: Int) -> UInt8 {
            let x = max(0, min(source.width - 1, x))
            return rows.1[x].mean(rows.0[x].mean(rows.2[x]))
        }
        let blurred = down(x).mean(down(x - 1).mean(down(x + 1)))
        let sample = rows.1[x]
        let distance = sample > blurred ? sample - blurred : blurred - sample
        let change = min(LumaKernel.change(of: distance, amounts), Int((255 - flatness) >> 5))
        return blurred > sample ? -change : change
    }
}

/// Computes how much each cell of the mask is lightened: a curve of its luma, times the mask.
///
/// The lift is the same for all luma, so that the parts of a face are lightened alike, in the sun and in the shade; but
/// at most three quarters of the way to white, and two fifths of the way from black, and less of both with smaller
/// amounts. So nothing is clipped, and no two values change places. It is computed from luma without pores: a face's
/// fine texture is neither stretched nor compressed.
enum LiftKernel {
    /// Computes the lift of each cell.
    ///
    /// - Parameters:
    ///   - luma: the luma without pores.
    ///   - mask: the mask per cell.
    ///   - spans: the spans of the mask.
    ///   - amounts: the lift and its slope.
    ///   - target: the plane to write. It must have started with zeros, and have been the target of the previous
    ///     spans.
    static func run(
        luma: borrowing CellPlane, mask: borrowing CellPlane, spans: MaskSpans, amounts: BeautyAmounts,
        to target: borrowing CellPlane
    ) {
        let lift = Words(repeating: UInt16(bitPattern: amounts.lift))
        let slope = Words(repeating: UInt16(bitPattern: amounts.liftSlope))
        let (black, white) = (Words(repeating: amounts.shareOfBlack), Words(repeating: amounts.shareOfWhite))
        for y in 0..<target.height {
            let (luma, mask, output) = (luma.row(y), mask.row(y), target.row(y))
            for vector in spans.touched(y) {
                let x = 16 &* vector
                let weight = mask[bytes: x]
                guard !weight.isZero else {
                    output[bytes: x] = .zero
                    continue
                }
                let samples = luma[bytes: x]
                output[bytes: x] = Bytes(
                    even: lifted(samples.evenWords, weight.evenWords, lift, slope, black, white),
                    odd: lifted(samples.oddWords, weight.oddWords, lift, slope, black, white))
            }
        }
    }

    @inline(__always)
    private static func lifted(
        _ luma: Words, _ mask: Words, _ lift: Words, _ slope: Words, _ black: Words, _ white: Words
    ) -> Words {
        let above = luma.less(Words(repeating: 16))
        let below = Words(repeating: 235).less(luma)
        let ends = (above &* black).smaller(below &* white)
        let weighted = (lift &+ above &* slope).smaller(ends).upperProduct(mask &<< 8)
        return (weighted &+ 128) &>> 8
    }

    static func reference(luma: UInt8, mask: UInt8, amounts: BeautyAmounts) -> UInt8 {
        let (above, below) = (max(0, Int(luma) - 16), max(0, 235 - Int(luma)))
        let even = Int(amounts.lift) + above * Int(amounts.liftSlope)
        let curve = min(even, above * Int(amounts.shareOfBlack), below * Int(amounts.shareOfWhite))
        let weighted = (curve * Int(mask)) >> 8
        return UInt8((weighted + 128) >> 8)
    }
}

/// Moves Cr of skin toward red.
enum RednessKernel {
    /// Runs the kernel.
    ///
    /// - Parameters:
    ///   - source: the captured Cr.
    ///   - mask: the mask per cell.
    ///   - spans: the spans of the mask.
    ///   - amount: the change in code values where the mask is 255.
    ///   - target: the Cr to write.
    static func run(
        _ source: PictureRows, mask: borrowing CellPlane, spans: MaskSpans, amount: UInt8, to target: PictureRows
    ) {
        let amounts = Words(repeating: UInt16(amount))
        for y in 0..<source.height {
            let (samples, mask, output) = (source.row(y), mask.row(y), target.row(y))
            output.copy(samples, count: target.width)
            let end = min(target.width, 16 * spans[y].upperBound)
            var x = 16 * spans[y].lowerBound
            while x &+ 16 <= end {
                let weight = mask[bytes: x]
                // The product is at most 255 * 64 + 128.
                let even = (weight.evenWords &* amounts &+ 128) &>> 8
                let odd = (weight.oddWords &* amounts &+ 128) &>> 8
                output[bytes: x] = samples[bytes: x].plus(Bytes(even: even, odd: odd))
                x &+= 16
            }
            while x < end {
                output[x] = reference(samples[x], mask: mask[x], amount: amount)
                x += 1
            }
        }
    }

    static func reference(_ sample: UInt8, mask: UInt8, amount: UInt8) -> UInt8 {
        sample.plus(UInt8((Int(mask) * Int(amount) + 128) >> 8))
    }
}

/// Computes how much each cell of the mask is lightened: a curve of its luma, times the mask.
///
/// With u = luma - 16 the lift is 4 u (219 - u) (lift + u·slope) / 2^24: none for black and white, most in between.
/// It is computed from luma without pores, so a face's fine texture is neither stretched nor compressed.
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
                    even: lifted(samples.evenWords, weight.evenWords, lift, slope),
                    odd: lifted(samples.oddWords, weight.oddWords, lift, slope))
            }
        }
    }

    @inline(__always)
    private static func lifted(_ luma: Words, _ mask: Words, _ lift: Words, _ slope: Words) -> Words {
        let above = luma.less(Words(repeating: 16))
        let below = Words(repeating: 235).less(luma)
        let weighted = (above &* below &<< 2).upperProduct(lift &+ above &* slope).upperProduct(mask &<< 8)
        return (weighted &+ 128) &>> 8
    }

    static func reference(luma: UInt8, mask: UInt8, amounts: BeautyAmounts) -> UInt8 {
        let (above, below) = (max(0, Int(luma) - 16), max(0, 235 - Int(luma)))
        let curve = Int(amounts.lift) + above * Int(amounts.liftSlope)
        let weighted = (((4 * above * below * curve) >> 16) * Int(mask) << 8) >> 16
        return UInt8((weighted + 128) >> 8)
    }
}

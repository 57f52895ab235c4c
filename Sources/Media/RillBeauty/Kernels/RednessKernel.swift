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

/// Moves Cr of skin towards red.
enum RednessKernel {
    /// - Parameters:
    ///   - source: Cr as it was captured, in cells.
    ///   - amount: code values where the mask is 255.
    static func run(_ source: borrowing CellPlane, mask: borrowing CellPlane, amount: UInt8, to target: PictureRows) {
        let amounts = Bytes(repeating: amount)
        for y in 0..<source.height {
            let (samples, mask, output) = (source.row(y), mask.row(y), target.row(y))
            var x = 0
            while x + 16 <= target.width {
                let weight = mask[bytes: x]
                // The product is at most 255 * 64 + 128.
                let low = (weight.lowWords &* amounts.lowWords &+ 128) &>> 8
                let high = (weight.highWords &* amounts.highWords &+ 128) &>> 8
                output[bytes: x] = samples[bytes: x].plus(Bytes(low, high))
                x += 16
            }
            while x < target.width {
                output[x] = reference(samples[x], mask: mask[x], amount: amount)
                x += 1
            }
        }
    }

    static func reference(_ sample: UInt8, mask: UInt8, amount: UInt8) -> UInt8 {
        sample.plus(UInt8((Int(mask) * Int(amount) + 128) >> 8))
    }
}

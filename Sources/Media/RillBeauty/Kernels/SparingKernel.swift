/// Takes from a plane where there are lips, or eyes.
enum SparingKernel {
    /// Reduces part of `plane` by the share that its weights are of 255, in steps of 8.
    ///
    /// - Parameter offset: an addend of weights. Planes with 0 and 4 alternate while weights move by less than 4.
    static func run(_ plane: borrowing CellPlane, weights: borrowing CellPlane, offset: UInt8, _ area: CellArea) {
        for y in area.rows {
            let (row, weights) = (plane.row(y), weights.row(y))
            for vector in area.vectors {
                let x = 16 &* vector
                let weight = weights[bytes: x]
                guard !weight.isZero else { continue }
                row[bytes: x] = spared(row[bytes: x], stepped(weight, offset))
            }
        }
    }

    /// Weights in steps of 8, from 0 to 255.
    @inline(__always)
    private static func stepped(_ weights: Bytes, _ offset: UInt8) -> Bytes {
        let upper = weights.plus(Bytes(repeating: offset)) & Bytes(repeating: 0xF8)
        return upper | upper &>> 5
    }

    static func steppedReference(_ weight: UInt8, offset: UInt8) -> UInt8 {
        let upper = weight.plus(offset) & 0xF8
        return upper | upper >> 5
    }

    /// All of 0, nothing of 255.
    @inline(__always)
    static func spared(_ samples: Bytes, _ weight: Bytes) -> Bytes {
        // The product is at most 255 * 255 + 255.
        let even = (samples.evenWords &* weight.evenWords &+ 255) &>> 8
        let odd = (samples.oddWords &* weight.oddWords &+ 255) &>> 8
        return samples.less(Bytes(even: even, odd: odd))
    }

    static func reference(_ sample: UInt8, weight: UInt8) -> UInt8 {
        sample - UInt8((Int(sample) * Int(weight) + 255) >> 8)
    }
}

/// Raises the lift of eyes: their bright parts, and not lashes and pupils.
enum EyeLiftKernel {
    /// Luma up to here is not raised.
    private static let dark: UInt8 = 72

    /// Adds to `lift` where `mask` is not 0: there may be nothing elsewhere.
    ///
    /// - Parameter amount: code values of luma where it is all eye.
    static func run(
        _ lift: borrowing CellPlane, eyes: borrowing CellPlane, luma: borrowing CellPlane, mask: borrowing CellPlane,
        amount: UInt8, _ area: CellArea
    ) {
        let amounts = Words(repeating: UInt16(amount))
        for y in area.rows {
            let (lift, eyes, luma, mask) = (lift.row(y), eyes.row(y), luma.row(y), mask.row(y))
            for vector in area.vectors {
                let x = 16 &* vector
                let weight = eyes[bytes: x].smaller(mask[bytes: x])
                guard !weight.isZero else { continue }
                let even = (weight.evenWords &* amounts &+ 128) &>> 8
                let odd = (weight.oddWords &* amounts &+ 128) &>> 8
                let limit = luma[bytes: x].less(Bytes(repeating: dark)) &>> 1
                lift[bytes: x] = lift[bytes: x].plus(Bytes(even: even, odd: odd).smaller(limit))
            }
        }
    }

    static func reference(lift: UInt8, eyes: UInt8, luma: UInt8, mask: UInt8, amount: UInt8) -> UInt8 {
        lift.plus(min(UInt8((Int(min(eyes, mask)) * Int(amount) + 128) >> 8), luma.less(dark) >> 1))
    }
}

/// Takes back the redness of lips or eyes, and gives lips their own.
enum FeatureColorKernel {
    /// Runs the kernel on Cr that ``RednessKernel`` has written.
    ///
    /// - Parameters:
    ///   - source: the captured Cr.
    ///   - weights: how much each sample is lips, or an eye.
    ///   - amount: the code values to add.
    ///   - area: the part to change.
    ///   - target: the Cr to change.
    static func run(
        _ source: PictureRows, weights: borrowing CellPlane, amount: UInt8, _ area: CellArea, to target: PictureRows
    ) {
        let amounts = Words(repeating: UInt16(amount))
        for y in area.rows {
            let (samples, weights, output) = (source.row(y), weights.row(y), target.row(y))
            let end = min(area.columns.upperBound, source.width)
            var x = area.columns.lowerBound
            while x &+ 16 <= end {
                let weight = weights[bytes: x]
                if !weight.isZero {
                    let red = SparingKernel.spared(output[bytes: x].less(samples[bytes: x]), weight)
                    let even = (weight.evenWords &* amounts &+ 128) &>> 8
                    let odd = (weight.oddWords &* amounts &+ 128) &>> 8
                    output[bytes: x] = samples[bytes: x].plus(red).plus(Bytes(even: even, odd: odd))
                }
                x &+= 16
            }
            while x < end {
                output[x] = reference(samples[x], written: output[x], weight: weights[x], amount: amount)
                x += 1
            }
        }
    }

    /// The Cr that was written is never below the captured one.
    static func reference(_ sample: UInt8, written: UInt8, weight: UInt8, amount: UInt8) -> UInt8 {
        guard weight > 0 else { return written }
        let red = SparingKernel.reference(written.less(sample), weight: weight)
        return sample.plus(red).plus(UInt8((Int(weight) * Int(amount) + 128) >> 8))
    }
}

/// Keeps the mask steady in time: small changes come in by quarters, great ones at once.
///
/// What is no skin by its colour is none from that frame on.
enum SteadyingKernel {
    /// Changes up to here are taken for noise.
    private static let noise: UInt8 = 40

    static func run(
        _ mask: borrowing CellPlane, towards target: borrowing CellPlane, likelihood: borrowing CellPlane
    ) {
        for y in 0..<mask.height {
            let (mask, target, likelihood) = (mask.row(y), target.row(y), likelihood.row(y))
            for x in stride(from: 0, to: (mask.range.upperBound - CellPlane.padding), by: 16) {
                let likely = likelihood[bytes: x]
                if likely.isZero {
                    mask[bytes: x] = .zero
                    continue
                }
                let old = mask[bytes: x]
                let new = target[bytes: x].smaller(likely)
                let limit = Bytes(repeating: noise)
                let distance = old.distance(to: new)
                let step = distance.less(limit) &+ ((distance.smaller(limit) &+ 3) &>> 2)
                let moved = (old &- step).replacing(with: old &+ step, where: new .> old)
                mask[bytes: x] = moved.replacing(with: Bytes.zero, where: likely .== Bytes.zero)
            }
        }
    }

    static func reference(_ old: UInt8, towards target: UInt8, likelihood: UInt8) -> UInt8 {
        guard likelihood > 0 else { return 0 }
        let new = min(target, likelihood)
        let distance = new > old ? new - old : old - new
        let step = distance.less(noise) + (min(distance, noise) + 3) >> 2
        return new > old ? old + step : old - step
    }

    /// The mask of a first frame, which has nothing to be steadied with.
    static func begin(
        _ mask: borrowing CellPlane, with target: borrowing CellPlane, likelihood: borrowing CellPlane
    ) {
        for y in 0..<mask.height {
            let (mask, target, likelihood) = (mask.row(y), target.row(y), likelihood.row(y))
            for x in stride(from: 0, to: (mask.range.upperBound - CellPlane.padding), by: 16) {
                mask[bytes: x] = target[bytes: x].smaller(likelihood[bytes: x])
            }
        }
    }
}

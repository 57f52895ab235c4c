/// How much of a cell is smooth skin: the mask, without edges.
///
/// An edge is where the deviations of nine cells add up: the rim of a nostril, a lash, the line of the jaw, which the mean
/// of their surroundings would blur. 3/8 of the light over nine cells is 4 % of it in each.
enum FlatnessKernel {
    /// - Parameters:
    ///   - edges: the sum of the deviations of the nine cells around each.
    ///   - allowance: what they may come to without any light; at most 160.
    static func run(
        mask: borrowing CellPlane, mean: borrowing CellPlane, edges: borrowing CellPlane,
        allowance: UInt8, to flatness: borrowing CellPlane
    ) {
        for y in 0..<mask.height {
            let (mask, mean, edges, output) = (mask.row(y), mean.row(y), edges.row(y), flatness.row(y))
            for vector in 0..<flatness.vectorCount {
                let x = 16 * vector
                let weight = mask[bytes: x]
                if weight.isZero {
                    output[bytes: x] = .zero
                } else {
                    let light = mean[bytes: x].less(Bytes(repeating: 16))
                    let limit = Bytes(repeating: allowance) &+ (light &>> 2) &+ (light &>> 3)
                    output[bytes: x] = weight.smaller(limit.less(edges[bytes: x]).doubled(3))
                }
            }
        }
    }

    static func reference(mask: UInt8, mean: UInt8, edges: UInt8, allowance: UInt8) -> UInt8 {
        let light = mean.less(16)
        return min(mask, (allowance + light >> 2 + light >> 3).less(edges).doubled(3))
    }
}

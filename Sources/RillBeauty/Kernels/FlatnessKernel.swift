/// How much of a cell is smooth skin: skin, without edges.
///
/// An edge is where the deviations of nine cells add up: the rim of a nostril, a lash, the line of the jaw, the lips. An
/// eighth of the light over nine cells is 1.4 % of it in each.
enum FlatnessKernel {
    /// - Parameters:
    ///   - skin: by colour and texture, of this frame; the mask limits it, which is steady in time.
    ///   - spans: of the mask.
    ///   - edges: the sum of the deviations of the nine cells around each.
    ///   - limits: what they may come to.
    static func run(
        skin: borrowing CellPlane, mask: borrowing CellPlane, luma: borrowing CellPlane, edges: borrowing CellPlane,
        spans: MaskSpans, limits: LightLimits, to flatness: borrowing CellPlane
    ) {
        let width = 16 * flatness.vectorCount
        for y in 0..<skin.height {
            let (skin, mask, luma) = (skin.row(y), mask.row(y), luma.row(y))
            let (edges, output) = (edges.row(y), flatness.row(y))
            output.clear(count: width)
            for vector in spans[y] {
                let x = 16 &* vector
                let weight = skin[bytes: x].smaller(mask[bytes: x])
                guard !weight.isZero else { continue }
                let room = limits.bytes(luma: luma[bytes: x]).less(edges[bytes: x])
                output[bytes: x] = weight.smaller(room.twice.twice.twice.twice)
            }
        }
    }

    static func reference(skin: UInt8, mask: UInt8, luma: UInt8, edges: UInt8, limits: LightLimits) -> UInt8 {
        min(skin, mask, limits.byte(luma: luma).less(edges).doubled(4))
    }
}

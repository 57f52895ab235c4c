/// Reduces the skin likelihood where the texture is coarser than skin's: hair, wood, cloth, and the surroundings of
/// eyes and lips.
///
/// It compares the mean deviation over a square of blocks with luma. Pores, freckles and noise amount to 1 to 2 % of
/// luma, strands of hair and the grain of wood to 4 % and more.
enum TextureKernel {
    /// Runs the kernel.
    ///
    /// - Parameters:
    ///   - likelihood: the skin likelihood by color, per block.
    ///   - luma: the luma of each block.
    ///   - texture: the mean deviation, in eighths.
    ///   - limits: the maximum texture of skin, in eighths.
    ///   - target: the plane to write.
    static func run(
        likelihood: borrowing CellPlane, luma: borrowing CellPlane, texture: borrowing CellPlane,
        limits: LumaLimits, to target: borrowing CellPlane
    ) {
        for y in 0..<target.height {
            let (likelihood, luma, texture, output) = (likelihood.row(y), luma.row(y), texture.row(y), target.row(y))
            for vector in 0..<target.vectorCount {
                let x = 16 &* vector
                let room = limits.bytes(luma: luma[bytes: x]).less(texture[bytes: x])
                output[bytes: x] = likelihood[bytes: x].smaller(room.twice.twice.twice.twice)
            }
        }
    }

    static func reference(likelihood: UInt8, luma: UInt8, texture: UInt8, limits: LumaLimits) -> UInt8 {
        // The ramp is two code values long.
        min(likelihood, limits.byte(luma: luma).less(texture).doubled(4))
    }
}

/// Computes how much of each cell is smooth skin: skin without edges.
///
/// An edge is where the deviations of nine cells add up: the rim of a nostril, a lash, the jaw line, the lips. An
/// eighth of the luma over nine cells is 1.4 % of it in each.
enum FlatnessKernel {
    /// Computes the flatness of each cell.
    ///
    /// - Parameters:
    ///   - skin: skin by color and texture of this frame, per block, with rows extended by one sample on both sides. It
    ///     has been limited by the mask.
    ///   - mask: the mask per cell. Where it is 0, nothing is smooth skin.
    ///   - luma: the luma of each cell.
    ///   - edges: the sum of the deviations of the nine cells around each cell.
    ///   - spans: the spans of the mask.
    ///   - limits: the maximum sum for smooth skin.
    ///   - flatness: the plane to write. It must have started with zeros, and have been the target of the previous
    ///     spans.
    static func run(
        skin: borrowing CellPlane, mask: borrowing CellPlane, luma: borrowing CellPlane, edges: borrowing CellPlane,
        spans: MaskSpans, limits: LumaLimits, to flatness: borrowing CellPlane
    ) {
        for y in 0..<mask.height {
            let skin = EnlargingKernel.rows(of: skin, y)
            let rows = CellRows(mask: mask.row(y), luma: luma.row(y), edges: edges.row(y), flatness: flatness.row(y))
            let span = spans.touched(y)
            // Each vector of blocks covers two vectors of cells. The padding has room for one extra.
            var x = span.lowerBound / 2 &* 32
            while x < 16 &* span.upperBound {
                let (left, right) = EnlargingKernel.bytes(skin, x / 2)
                fill(rows, x, left, limits)
                fill(rows, x &+ 16, right, limits)
                x &+= 32
            }
        }
    }

    private struct CellRows {
        var mask, luma, edges, flatness: Row
    }

    @inline(__always)
    private static func fill(_ rows: CellRows, _ x: Int, _ skin: Bytes, _ limits: LumaLimits) {
        let weight = skin & ~rows.mask[bytes: x].isZeroMask
        guard !weight.isZero else { return rows.flatness[bytes: x] = .zero }
        let room = limits.bytes(luma: rows.luma[bytes: x]).less(rows.edges[bytes: x])
        rows.flatness[bytes: x] = weight.smaller(room.twice.twice.twice.twice)
    }

    static func reference(skin: UInt8, mask: UInt8, luma: UInt8, edges: UInt8, limits: LumaLimits) -> UInt8 {
        mask == 0 ? 0 : min(skin, limits.byte(luma: luma).less(edges).doubled(4))
    }
}

/// A limit that grows with luma, as noise and texture do.
struct LumaLimits {
    /// The limit at black.
    var least: UInt8
    /// The growth of the limit per 256 code values of luma above black; with `least`, at most 255 in total.
    var slope: UInt8

    @inline(__always)
    func bytes(luma: Bytes) -> Bytes {
        let light = luma.less(Bytes(repeating: 16))
        let slope = Words(repeating: UInt16(slope))
        return Bytes(repeating: least)
            &+ Bytes(
                even: (light.evenWords &* slope) &>> 8, odd: (light.oddWords &* slope) &>> 8)
    }

    func byte(luma: UInt8) -> UInt8 { least + UInt8((Int(luma.less(16)) * Int(slope)) >> 8) }
}

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

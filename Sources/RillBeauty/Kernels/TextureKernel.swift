/// Takes skin's likelihood away where the texture is coarser than skin's: hair, wood, cloth, and the surroundings of eyes
/// and lips.
///
/// What is compared with the luma is the mean deviation over a square somewhat larger than that of the mean: pores,
/// freckles and noise come to 1 to 3 % of the light, strands of hair and the grain of wood to 5 % and more.
enum TextureKernel {
    /// - Parameters:
    ///   - mean: the mean luma around each cell.
    ///   - texture: the mean deviation in sixteenths.
    ///   - allowance: what texture may come to without any light, in sixteenths; at most 128.
    static func run(
        likelihood: borrowing CellPlane, mean: borrowing CellPlane, texture: borrowing CellPlane,
        allowance: UInt8, to target: borrowing CellPlane
    ) {
        for y in 0..<target.height {
            let (likelihood, mean, texture, output) = (likelihood.row(y), mean.row(y), texture.row(y), target.row(y))
            for vector in 0..<target.vectorCount {
                let x = 16 * vector
                let light = mean[bytes: x].less(Bytes(repeating: 16))
                let limit = Bytes(repeating: allowance) &+ (light &>> 1)
                output[bytes: x] = likelihood[bytes: x].smaller(limit.less(texture[bytes: x]).doubled(3))
            }
        }
    }

    static func reference(likelihood: UInt8, mean: UInt8, texture: UInt8, allowance: UInt8) -> UInt8 {
        // In sixteenths: the allowance and 3 % of the light; the ramp is two code values long.
        let limit = allowance + mean.less(16) >> 1
        return min(likelihood, limit.less(texture).doubled(3))
    }
}

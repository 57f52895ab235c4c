/// Mixes the mask by the color of all skin with that of the known faces.
///
/// The latter has a steeper rim: what is below a quarter becomes 0, what is above three quarters 255. A rim that was blurred
/// keeps its place, and faint traces of what is not skin disappear, as do faint holes in what is.
enum MixingKernel {
    /// What becomes 0.
    private static let least: UInt8 = 64

    /// Runs the kernel.
    ///
    /// - Parameters:
    ///   - general: the plane by the color of all skin.
    ///   - learned: the plane by the color of faces.
    ///   - share: how much the latter counts, from 0 to 256. The other one is not read where it counts nothing.
    ///   - steepens: whether the rim of `learned` becomes steeper.
    ///   - target: the plane to write.
    static func run(
        _ general: borrowing CellPlane, _ learned: borrowing CellPlane, share: Int, steepens: Bool,
        to target: borrowing CellPlane
    ) {
        for y in 0..<target.height {
            let (general, learned, output) = (general.row(y), learned.row(y), target.row(y))
            switch (share, steepens) {
            case (0, _): output.copy(general, count: target.width)
            case (256, false): output.copy(learned, count: target.width)
            case (256, true):
                for vector in 0..<target.vectorCount {
                    let x = 16 &* vector
                    output[bytes: x] = steep(learned[bytes: x])
                }
            default:
                for vector in 0..<target.vectorCount {
                    let x = 16 &* vector
                    let sample = steepens ? steep(learned[bytes: x]) : learned[bytes: x]
                    output[bytes: x] = mixed(general[bytes: x], sample, share)
                }
            }
        }
    }

    @inline(__always)
    private static func steep(_ samples: Bytes) -> Bytes { samples.less(Bytes(repeating: least)).twice }

    @inline(__always)
    private static func mixed(_ general: Bytes, _ learned: Bytes, _ share: Int) -> Bytes {
        let (parts, others) = (Words(repeating: UInt16(share)), Words(repeating: UInt16(256 - share)))
        // Each product is at most 255 * 256, and so is their sum.
        return Bytes(
            even: (learned.evenWords &* parts &+ general.evenWords &* others) &>> 8,
            odd: (learned.oddWords &* parts &+ general.oddWords &* others) &>> 8)
    }

    static func reference(_ general: UInt8, _ learned: UInt8, share: Int, steepens: Bool) -> UInt8 {
        let steep = steepens ? learned.less(least).doubled(1) : learned
        return UInt8((Int(steep) * share + Int(general) * (256 - share)) >> 8)
    }
}

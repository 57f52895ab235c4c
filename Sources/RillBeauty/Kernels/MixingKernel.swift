/// Mixes two planes, such as the mask by the color of all skin and that by the color of the known faces.
///
/// The rim of the latter may become steeper: what is below `rim` becomes 0, and the rest is doubled. With a `rim` of a quarter, a
/// rim that was blurred keeps its place, and faint traces of what is not skin disappear, as do faint holes in what is. With less
/// it moves outwards.
enum MixingKernel {
    /// Where the rim of a mask keeps its place.
    static let evenRim: UInt8 = 64

    /// Runs the kernel.
    ///
    /// - Parameters:
    ///   - general: the plane by the color of all skin.
    ///   - learned: the plane by the color of faces.
    ///   - share: how much the latter counts, from 0 to 256. The other one is not read where it counts nothing.
    ///   - rim: what of `learned` becomes 0, if its rim becomes steeper.
    ///   - target: the plane to write.
    static func run(
        _ general: borrowing CellPlane, _ learned: borrowing CellPlane, share: Int, rim: UInt8? = nil,
        to target: borrowing CellPlane
    ) {
        let (low, steepens) = (Bytes(repeating: rim ?? 0), rim != nil)
        let (parts, others) = (Words(repeating: UInt16(share)), Words(repeating: UInt16(256 - share)))
        for y in 0..<target.height {
            let (general, learned, output) = (general.row(y), learned.row(y), target.row(y))
            if share == 0 {
                output.copy(general, count: target.width)
                continue
            }
            for vector in 0..<target.vectorCount {
                let x = 16 &* vector
                var sample = learned[bytes: x].less(low)
                if steepens { sample = sample.twice }
                if share < 256 {
                    // Each product is at most 255 * 256, and so is their sum.
                    let other = general[bytes: x]
                    sample = Bytes(
                        even: (sample.evenWords &* parts &+ other.evenWords &* others) &>> 8,
                        odd: (sample.oddWords &* parts &+ other.oddWords &* others) &>> 8)
                }
                output[bytes: x] = sample
            }
        }
    }

    static func reference(_ general: UInt8, _ learned: UInt8, share: Int, rim: UInt8? = nil) -> UInt8 {
        let steep = rim.map { learned.less($0).doubled(1) } ?? learned
        return UInt8((Int(steep) * share + Int(general) * (256 - share)) >> 8)
    }
}

/// Mixes two planes, such as the mask by the color of all skin and that by the color of the known faces.
///
/// The rim of the latter may become steeper: values below `rim` become 0, and the rest is doubled. With a `rim` of a
/// quarter, a blurred rim keeps its place, and faint traces outside the skin disappear, as do faint holes inside.
/// With less it moves outwards.
enum MixingKernel {
    /// Where the rim of a mask keeps its place.
    static let evenRim: UInt8 = 64

    /// Runs the kernel.
    ///
    /// - Parameters:
    ///   - general: the plane by the color of all skin.
    ///   - learned: the plane by the color of faces.
    ///   - share: the weight of the latter, from 0 to 256. The other one is not read where its weight is 0.
    ///   - rim: the values of `learned` that become 0, if its rim becomes steeper.
    ///   - target: the plane to write.
    static func run(
        _ general: borrowing CellPlane, _ learned: borrowing CellPlane, share: Int, rim: UInt8? = nil,
        to target: borrowing CellPlane
    ) {
        for y in 0..<target.height {
            let (general, learned, output) = (general.row(y), learned.row(y), target.row(y))
            switch (share, rim) {
            case (0, _): output.copy(general, count: target.width)
            case (256, nil): output.copy(learned, count: target.width)
            case (256, let rim?):
                for vector in 0..<target.vectorCount {
                    let x = 16 &* vector
                    output[bytes: x] = steep(learned[bytes: x], rim)
                }
            default:
                for vector in 0..<target.vectorCount {
                    let x = 16 &* vector
                    let sample = rim.map { steep(learned[bytes: x], $0) } ?? learned[bytes: x]
                    output[bytes: x] = mixed(general[bytes: x], sample, share)
                }
            }
        }
    }

    @inline(__always)
    private static func steep(_ samples: Bytes, _ rim: UInt8) -> Bytes { samples.less(Bytes(repeating: rim)).twice }

    @inline(__always)
    private static func mixed(_ general: Bytes, _ learned: Bytes, _ share: Int) -> Bytes {
        let (parts, others) = (Words(repeating: UInt16(share)), Words(repeating: UInt16(256 - share)))
        // Each product is at most 255 * 256, and so is their sum.
        return Bytes(
            even: (learned.evenWords &* parts &+ general.evenWords &* others) &>> 8,
            odd: (learned.oddWords &* parts &+ general.oddWords &* others) &>> 8)
    }

    static func reference(_ general: UInt8, _ learned: UInt8, share: Int, rim: UInt8? = nil) -> UInt8 {
        let steep = rim.map { learned.less($0).doubled(1) } ?? learned
        return UInt8((Int(steep) * share + Int(general) * (256 - share)) >> 8)
    }
}

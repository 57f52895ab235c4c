/// Limits samples to those of another plane.
enum LimitKernel {
    static func run(_ plane: borrowing CellPlane, by limits: borrowing CellPlane) { run(plane, by: limits, to: plane) }

    static func run(_ plane: borrowing CellPlane, by limits: borrowing CellPlane, to target: borrowing CellPlane) {
        run(plane, limits, to: target) { $0.smaller($1) }
    }

    /// From below.
    static func run(_ plane: borrowing CellPlane, atLeast limits: borrowing CellPlane) {
        run(plane, limits, to: plane) { $0.greater($1) }
    }

    @inline(__always)
    private static func run(
        _ plane: borrowing CellPlane, _ limits: borrowing CellPlane, to target: borrowing CellPlane,
        _ limited: (Bytes, Bytes) -> Bytes
    ) {
        let vectorCount = plane.vectorCount
        for y in 0..<plane.height {
            let (row, limits, output) = (plane.row(y), limits.row(y), target.row(y))
            for vector in 0..<vectorCount {
                let x = 16 &* vector
                output[bytes: x] = limited(row[bytes: x], limits[bytes: x])
            }
        }
    }

    static func reference(_ sample: UInt8, limit: UInt8) -> UInt8 { min(sample, limit) }
    static func reference(_ sample: UInt8, atLeast limit: UInt8) -> UInt8 { max(sample, limit) }
}

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

/// Keeps the mask steady over time: small changes are applied by eighths, large ones at once.
enum SteadyingKernel {
    /// Changes up to this count as noise. An eighth of it is 0.047 of the mask's range.
    static let noise: UInt8 = 96
    /// The same while a face is known: its color leaves less to chance, and what moves away shall not leave a trace.
    static let noiseOfFaces: UInt8 = 40

    static func run(_ mask: borrowing CellPlane, towards target: borrowing CellPlane, noise: UInt8 = noise) {
        let limit = Bytes(repeating: noise)
        let vectorCount = mask.vectorCount
        for y in 0..<mask.height {
            let (mask, target) = (mask.row(y), target.row(y))
            for vector in 0..<vectorCount {
                let x = 16 &* vector
                let (old, new) = (mask[bytes: x], target[bytes: x])
                let distance = old.distance(to: new)
                let step = distance.less(limit) &+ ((distance.smaller(limit) &+ 7) &>> 3)
                // One of the two is 0, and the other is at least the step.
                mask[bytes: x] = old &+ step.smaller(new.less(old)) &- step.smaller(old.less(new))
            }
        }
    }

    static func reference(_ old: UInt8, towards target: UInt8, noise: UInt8 = noise) -> UInt8 {
        let distance = target > old ? target - old : old - target
        let step = distance.less(noise) + (min(distance, noise) + 7) >> 3
        return target > old ? old + step : old - step
    }

    /// Starts with the mask of a first frame, which has no predecessor.
    static func begin(_ mask: borrowing CellPlane, with target: borrowing CellPlane) {
        for y in 0..<mask.height { mask.row(y).copy(target.row(y), count: mask.width) }
    }
}

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

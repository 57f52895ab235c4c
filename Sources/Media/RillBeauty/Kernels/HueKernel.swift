/// How much redder than the skin of a face its surroundings are: the angle of chroma, not its distance from gray, which
/// light changes.
///
/// Chroma is averaged over nine cells (1 2 1 in both directions) with all its bits: lips differ from skin by three code
/// values, and noise by one or two.
enum HueKernel {
    /// A face's chroma as a direction, in sixteenths.
    struct Direction {
        let red, yellow: Int16

        /// The direction of a color, whose components may have any scale.
        init(red: Int, yellow: Int) {
            let length = Float(max(1, red * red + yellow * yellow)).squareRoot()
            self.red = Int16((16 * Float(red) / length).rounded())
            self.yellow = Int16((16 * Float(yellow) / length).rounded())
        }
    }

    /// Computes it for part of a plane: 128 where the hue is that of the face, and eight for each code value of redder.
    ///
    /// - Parameters:
    ///   - u: Cb. Like Cr, its rows in and beside the area must be extended by one sample.
    ///   - v: Cr.
    ///   - direction: the face's chroma.
    ///   - area: the part to compute.
    ///   - target: the plane to write.
    static func run(
        u: borrowing CellPlane, v: borrowing CellPlane, _ direction: Direction, _ area: CellArea,
        to target: borrowing CellPlane
    ) {
        for y in area.rows {
            let u = (u.nearestRow(y - 1), u.row(y), u.nearestRow(y + 1))
            let v = (v.nearestRow(y - 1), v.row(y), v.nearestRow(y + 1))
            let output = target.row(y)
            for vector in area.vectors {
                let x = 16 &* vector
                let (a, b) = (deviation(v, x), deviation(u, x))
                output[bytes: x] = Bytes(even: hue(a.even, b.even, direction), odd: hue(a.odd, b.odd, direction))
            }
        }
    }

    /// How far the average is from gray, in 16ths of a code value: at most 62 code values.
    @inline(__always)
    private static func deviation(_ rows: (Row, Row, Row), _ x: Int) -> (even: Numbers, odd: Numbers) {
        let (left, middle, right) = (column(rows, x &- 1), column(rows, x), column(rows, x &+ 1))
        return (
            limited(left.even &+ middle.even &+ middle.even &+ right.even),
            limited(left.odd &+ middle.odd &+ middle.odd &+ right.odd)
        )
    }

    @inline(__always)
    private static func column(_ rows: (Row, Row, Row), _ x: Int) -> (even: Words, odd: Words) {
        let (above, here, below) = (rows.0[bytes: x], rows.1[bytes: x], rows.2[bytes: x])
        return (
            above.evenWords &+ here.evenWords &+ here.evenWords &+ below.evenWords,
            above.oddWords &+ here.oddWords &+ here.oddWords &+ below.oddWords
        )
    }

    @inline(__always)
    private static func limited(_ sum: Words) -> Numbers {
        // At most 16 times 255: the same bits as signed numbers.
        let distance = unsafe unsafeBitCast(sum, to: Numbers.self) &- 2048
        return distance.greater(Numbers(repeating: -limit)).smaller(Numbers(repeating: limit))
    }

    private static let limit: Int16 = 1000

    @inline(__always)
    private static func hue(_ a: Numbers, _ b: Numbers, _ direction: Direction) -> Words {
        // Twice 1000 times 16 fits. Cb counts from gray to yellow, which is the other way.
        let turned = (a &* direction.yellow &+ b &* direction.red &+ 16) &>> 5
        let hue = (turned &+ 128).greater(.zero).smaller(Numbers(repeating: 255))
        // From 0 to 255: the same bits.
        return unsafe unsafeBitCast(hue, to: Words.self)
    }

    static func reference(
        u: borrowing CellPlane, v: borrowing CellPlane, _ direction: Direction, _ x: Int, _ y: Int
    ) -> UInt8 {
        func deviation(_ plane: borrowing CellPlane) -> Int {
            var sum = -2048
            for (row, share) in [(y - 1, 1), (y, 2), (y + 1, 1)] {
                for (column, weight) in [(x - 1, 1), (x, 2), (x + 1, 1)] {
                    let column = max(0, min(plane.width - 1, column))
                    sum += share * weight * Int(plane.nearestRow(row)[column])
                }
            }
            return max(-Int(limit), min(Int(limit), sum))
        }
        let turned = deviation(v) * Int(direction.yellow) + deviation(u) * Int(direction.red)
        return UInt8(max(0, min(255, (turned + 16) >> 5 + 128)))
    }
}

extension SIMD8 where Scalar == Int16 {
    /// Lane-wise minimum (`pminsw`). See Vectors.swift for why this is not `pointwiseMin`.
    @inline(__always)
    func smaller(_ other: Self) -> Self {
        // A mask has all bits of a number set, or none.
        self &- (unsafe unsafeBitCast(self .> other, to: Self.self) & (self &- other))
    }

    /// Lane-wise maximum (`pmaxsw`).
    @inline(__always)
    func greater(_ other: Self) -> Self {
        // As above.
        other &+ (unsafe unsafeBitCast(self .> other, to: Self.self) & (self &- other))
    }

    /// Whether all lanes are 0, as for bytes.
    @inline(__always)
    var isZero: Bool {
        // The same sixteen bytes.
        unsafe unsafeBitCast(self, to: Bytes.self).isZero
    }
}

/// Computes how well the color and the place of each block match the skin of one face, from 0 to 255: the minimum of ramps.
///
/// Inside of a face what is bright may be paler, and differ more: forehead and cheeks in the sun.
///
/// Let (a, b) = (Cr - 128, 128 - Cb). `along` is its part in the direction of the face's color, `across` the rest. Both are
/// in eighths of a code value.
struct SkinColorKernel {
    /// The direction of the color, in 128ths.
    private let red, yellow: Int16
    private let least, most: Int16
    private let dark, bright: Int16
    /// The luma from which on a block inside of the face is bright.
    private let light: Int16
    private let strength: Int16
    private let face: FaceRegion

    /// Creates a kernel for a face, in blocks, and its color, which counts `strength` 256ths.
    init(_ color: SkinColor, of face: FaceRegion, strength: Int) {
        let length = max(1, Double(color.red * color.red + color.yellow * color.yellow).squareRoot())
        red = Int16((128 * Double(color.red) / length).rounded())
        yellow = Int16((128 * Double(color.yellow) / length).rounded())
        least = Int16((0.55 * length / 2).rounded()) - 8
        most = Int16((2.0 * length / 2).rounded()) + 12
        dark = Int16(color.dark / 2) - 6
        bright = Int16(color.bright) + 48
        light = Int16(color.dark)
        self.strength = Int16(strength)
        self.face = face
    }

    /// Writes the weights, or the greater ones of these and what is there.
    func run(
        u: borrowing CellPlane, v: borrowing CellPlane, luma: borrowing CellPlane, rows: borrowing CellPlane,
        addsTo isAdded: Bool, to target: borrowing CellPlane
    ) {
        let (reach, allowances) = (rows.row(0), rows.row(1))
        for x in 0..<target.width {
            reach[x] = columnReach(x)
            allowances[x] = 0
        }
        for y in 0..<target.height {
            let columns = (face.x..<face.x + face.side).clamped(to: 0..<target.width)
            if isBeside(y) { for x in columns { allowances[x] = allowance(x, y) } }
            let (u, v, luma, output) = (u.row(y), v.row(y), luma.row(y), target.row(y))
            let limit = Bytes(repeating: rowReach(y))
            for vector in 0..<target.vectorCount {
                let x = 16 &* vector
                let near = reach[bytes: x].smaller(limit)
                let old = isAdded ? output[bytes: x] : .zero
                guard !near.isZero else {
                    output[bytes: x] = old
                    continue
                }
                let (u, v, luma) = (u[bytes: x], v[bytes: x], luma[bytes: x])
                let more = allowances[bytes: x]
                let match = Bytes(
                    even: weights(u.evenWords, v.evenWords, luma.evenWords, near.evenWords, more.evenWords),
                    odd: weights(u.oddWords, v.oddWords, luma.oddWords, near.oddWords, more.oddWords))
                output[bytes: x] = match.greater(old)
            }
        }
    }

    /// Hands are within two sides of the face, left and right; between two and three sides they count less and less.
    private func columnReach(_ x: Int) -> UInt8 {
        let distance = max(0, face.x - x, x - face.x - face.side)
        return UInt8(max(0, min(255, (3 * face.side - distance) * 255 / face.side)))
    }

    /// Above the forehead there is hair, and then a wall.
    private func rowReach(_ y: Int) -> UInt8 {
        UInt8(max(0, min(255, (y - face.y + face.side * 6 / 10) * 64)))
    }

    /// Whether row `y` is one of those in which the allowance may differ from the row before.
    private func isBeside(_ y: Int) -> Bool { (face.y - face.side / 4...face.y + face.side * 3 / 2).contains(y) }

    /// How much farther off a bright block may be: three code values in an ellipse from the hair line to the chin.
    private func allowance(_ x: Int, _ y: Int) -> UInt8 {
        let across = 2 * x - 2 * face.x - face.side
        let down = 2 * y - 2 * face.y - face.side
        // Half as wide as 8/10, and half as high as 12/10 of the side.
        return 225 * across * across + 100 * down * down < 144 * face.side * face.side ? 24 : 0
    }

    private typealias Numbers = SIMD8<Int16>

    @inline(__always)
    private func weights(_ u: Words, _ v: Words, _ luma: Words, _ near: Words, _ allowance: Words) -> Words {
        // Chroma and luma are at most 255: the same bits as signed numbers.
        let a = unsafe unsafeBitCast(v, to: Numbers.self) &- 128
        let b = 128 &- (unsafe unsafeBitCast(u, to: Numbers.self))
        let luma = unsafe unsafeBitCast(luma, to: Numbers.self)
        // A mask, as below.
        let isLight = unsafe unsafeBitCast(luma .> Numbers(repeating: light), to: Numbers.self)
        let more = unsafe unsafeBitCast(allowance, to: Numbers.self) & isLight
        let along = (a &* red &+ b &* yellow) &>> 4
        let turned = (a &* yellow &- b &* red) &>> 4
        let across = Self.greater(turned, 0 &- turned)
        // Three code values and an eighth of the distance from gray.
        let direction = (30 &+ more &+ along &>> 3 &- across) &* 16
        let distance = Self.smaller(along &+ more &- least, Numbers(repeating: most) &- along) &* 16
        let brightness = Self.smaller(luma &- dark, bright &- luma) &* 16
        var weight = Self.smaller(Self.smaller(direction, distance), brightness)
        weight = Self.greater(Self.smaller(weight, Numbers(repeating: 255)), .zero)
        weight = Self.smaller(weight, unsafe unsafeBitCast(near, to: Numbers.self))
        // At most 255 * 256, which needs the sixteenth bit: unsigned again.
        return unsafe (unsafeBitCast(weight, to: Words.self) &* UInt16(bitPattern: strength)) &>> 8
    }

    @inline(__always)
    private static func smaller(_ a: Numbers, _ b: Numbers) -> Numbers {
        // A mask has all bits of a number set, or none. (See Vectors.swift for why this is not `pointwiseMin`.)
        a &- (unsafe unsafeBitCast(a .> b, to: Numbers.self) & (a &- b))
    }

    @inline(__always)
    private static func greater(_ a: Numbers, _ b: Numbers) -> Numbers {
        // As above.
        b &+ (unsafe unsafeBitCast(a .> b, to: Numbers.self) & (a &- b))
    }

    /// The same for one block.
    func reference(u: UInt8, v: UInt8, luma: UInt8, x: Int, y: Int) -> UInt8 {
        let (a, b) = (Int(v) - 128, 128 - Int(u))
        let along = (a * Int(red) + b * Int(yellow)) >> 4
        let across = abs((a * Int(yellow) - b * Int(red)) >> 4)
        let more =
            Int(luma) > Int(light) && isBeside(y) && (face.x..<face.x + face.side).contains(x)
            ? Int(allowance(x, y)) : 0
        let direction = 30 + more + along >> 3 - across
        let distance = min(along + more - Int(least), Int(most) - along)
        let brightness = min(Int(luma) - Int(dark), Int(bright) - Int(luma))
        let weight = max(0, min(255, 16 * min(direction, distance, brightness)))
        return UInt8((min(weight, Int(min(columnReach(x), rowReach(y)))) * Int(strength)) >> 8)
    }
}

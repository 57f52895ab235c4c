/// Computes how well the color and the place of each block match the skin of one face, from 0 to 255: the minimum of
/// ramps.
///
/// Inside of a face what is bright may be paler, and differ more: forehead and cheeks in the sun.
///
/// Let (a, b) = (Cr - 128, 128 - Cb), less what gray has at this luma. `along` is its part in the direction of the
/// face's color, `across` the rest. Both are in eighths of a code value.
struct SkinColorKernel {
    /// The direction of the color, in 128ths.
    private let red, yellow: Int16
    /// The least and the most `along`, and how much the former rises with luma, in 64ths.
    private let least, most, leastSlope: Int16
    private let dark, bright: Int16
    /// How much more luma a block needs that is far beside the face.
    private let farDark: Int16
    /// The luma from which on a block inside of the face is bright.
    private let light: Int16
    /// How much the color moves with luma along its direction and across, in 256ths of eighths of a code value.
    private let alongSlope, acrossSlope: Int16
    /// The chroma of gray along the direction and across, in 64ths of eighths of a code value per code value of luma
    /// above black.
    private let grayAlong, grayAcross: Int16
    private let middle: Int16
    private let strength: Int16
    private let face: FaceRegion
    /// How far in the direction of the color every block that matches is at least, before what depends on its luma.
    /// Most blocks of a picture are not.
    private var leastChroma: Int16 = 0

    /// Creates a kernel for a face, in blocks, and its color, which counts `strength` 256ths.
    init(_ color: SkinColor, of face: FaceRegion, strength: Int) {
        let distance = color.distanceFromGray
        let length = max(1, Double(distance.red * distance.red + distance.yellow * distance.yellow).squareRoot())
        let (a, b) = (Double(distance.red) / length, Double(distance.yellow) / length)
        // Factors of luma are limited, so that the products have fifteen bits.
        func limited(_ value: Double, _ most: Double) -> Int16 { Int16(max(-most, min(most, value.rounded()))) }
        (red, yellow) = (limited(128 * a, 128), limited(128 * b, 128))
        least = limited(Self.leastShare * length / 2, 4000) - 8
        most = limited(2.0 * length / 2, 4000) + 12
        leastSlope = limited(Self.leastShare * 512 * length / Double(max(256, color.middle - 256)), 400)
        dark = Int16(color.dark * 3 / 64) - 8
        bright = Int16(color.bright / 16) + 48
        light = Int16(color.dark / 20)
        farDark = max(0, Int16(color.middle * 5 / 128) - dark)
        middle = Int16(color.middle / 16)
        let (grayRed, grayYellow) = (Double(color.gray.red), Double(color.gray.yellow))
        grayAlong = limited((grayRed * a + grayYellow * b) / 8, 136)
        grayAcross = limited((grayRed * b - grayYellow * a) / 8, 136)
        // The color's own change with luma, besides that of gray.
        let (redSlope, yellowSlope) = (
            Double(color.redSlope) - grayRed / 16, Double(color.yellowSlope) - grayYellow / 16
        )
        alongSlope = limited(8 * (redSlope * a + yellowSlope * b), 400)
        acrossSlope = limited(8 * (redSlope * b - yellowSlope * a), 400)
        self.strength = Int16(strength)
        self.face = face
        leastChroma = findLeastChroma()
    }

    /// The least distance from gray, as a share of the face's, in proportion to luma where that is above the face's.
    private static let leastShare = 0.65
    /// How much redder than the face a block may be that is far beside it: three code values.
    private static let farRedness: Int16 = 24
    /// White walls are nearer to gray than that.
    private static let leastRoom: Int16 = 64

    /// From this width on, in blocks, a face's outlines are so coarse that every second row is enough.
    static let largeSide = 64

    /// Writes the weights of every second row, and the means of both neighbors to the others.
    func runCoarsely(
        u: borrowing CellPlane, v: borrowing CellPlane, luma: borrowing CellPlane, rows: borrowing CellPlane,
        to target: borrowing CellPlane
    ) {
        run(u: u, v: v, luma: luma, rows: rows, addsTo: false, rowStep: 2, to: target)
        for y in stride(from: 1, to: target.height, by: 2) {
            let (above, below, output) = (
                target.row(y - 1), target.row(y + 1 < target.height ? y + 1 : y - 1), target.row(y)
            )
            for vector in 0..<target.vectorCount {
                let x = 16 &* vector
                output[bytes: x] = above[bytes: x].mean(below[bytes: x])
            }
        }
    }

    /// Writes the weights, or the greater ones of these and what is there.
    func run(
        u: borrowing CellPlane, v: borrowing CellPlane, luma: borrowing CellPlane, rows: borrowing CellPlane,
        addsTo isAdded: Bool, rowStep: Int = 1, to target: borrowing CellPlane
    ) {
        let (reach, allowances, farness) = (rows.row(0), rows.row(1), rows.row(2))
        for x in 0..<target.width {
            reach[x] = columnReach(x)
            allowances[x] = 0
            farness[x] = columnDistance(x)
        }
        var bright = 0..<0
        for y in stride(from: 0, to: target.height, by: rowStep) {
            let brightHere = brightColumns(y, width: target.width)
            if brightHere != bright {
                for x in bright { allowances[x] = 0 }
                for x in brightHere { allowances[x] = Self.allowance }
                bright = brightHere
            }
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
                guard mayMatch(u, v, luma) else {
                    output[bytes: x] = old
                    continue
                }
                let (more, far) = (allowances[bytes: x], farness[bytes: x])
                let even = distances(u.evenWords, v.evenWords, luma.evenWords, more.evenWords, far.evenWords)
                let odd = distances(u.oddWords, v.oddWords, luma.oddWords, more.oddWords, far.oddWords)
                guard !even.match.greater(odd.match).greater(.zero).isZero else {
                    output[bytes: x] = old
                    continue
                }
                let match = Bytes(even: weights(even, near.evenWords), odd: weights(odd, near.oddWords))
                output[bytes: x] = match.greater(old)
            }
        }
    }

    /// Hands are within two sides of the face, left and right; between two and three sides they count less and less.
    private func columnReach(_ x: Int) -> UInt8 {
        let distance = max(0, face.x - x, x - face.x - face.side)
        return UInt8(max(0, min(255, (3 * face.side - distance) * 255 / face.side)))
    }

    /// The distance of a column from head and neck, from 0 to 16. Far columns may show wood, and hands differ less
    /// from the face than its own shade does.
    private func columnDistance(_ x: Int) -> UInt8 {
        let distance = max(0, face.x - x, x - face.x - face.side)
        return UInt8(max(0, min(16, (distance - face.side / 4) * 64 / face.side)))
    }

    /// Above the forehead there is hair, and then a wall.
    private func rowReach(_ y: Int) -> UInt8 {
        UInt8(max(0, min(255, (y - face.y + face.side * 6 / 10) * 64)))
    }

    /// How much farther off a bright block of the face may be: four code values.
    private static let allowance: UInt8 = 32

    /// The columns of row `y` that are inside of an ellipse from the hair line to the chin: as wide as the side, and
    /// half as high again.
    private func brightColumns(_ y: Int, width: Int) -> Range<Int> {
        let down = 2 * y - 2 * face.y - face.side * 7 / 8
        let room = 144 * face.side * face.side - 64 * down * down
        guard room > 0 else { return 0..<0 }
        // Twice the distance from the middle.
        let half = Int(Double((room - 1) / 144).squareRoot())
        let middle = 2 * face.x + face.side
        return ((middle - half + 1) >> 1..<(middle + half) >> 1 + 1).clamped(to: 0..<width)
    }

    /// Whether a block is inside of that ellipse.
    private func isInFace(_ x: Int, _ y: Int) -> Bool {
        let across = 2 * x - 2 * face.x - face.side
        let down = 2 * y - 2 * face.y - face.side * 7 / 8
        return 144 * across * across + 64 * down * down < 144 * face.side * face.side
    }

    /// The properties of eight blocks before their distance across the direction of the color is known.
    private struct Distances {
        /// How far inside of the limits of distance from gray and of luma, in eighths of a code value and in code
        /// values.
        let match: Numbers
        /// How far across a block may be.
        let tolerance: Numbers
        /// How far it may be on the side of red.
        let redTolerance: Numbers
        /// How far it is, with what does not depend on luma only.
        let turned, off, lit: Numbers
    }

    /// The terms that depend on the luma of eight blocks alone.
    private struct Light {
        /// How far above the face's it is, and how far from where it has no color.
        let off, lit: Numbers
        /// How far in the direction of the color that moves what is expected.
        let along: Numbers
        /// The least distance from gray, and the same as far as there is room for it.
        let expected, needed: Numbers

        @inline(__always)
        init(_ luma: Numbers, _ kernel: SkinColorKernel) {
            // At most 80 values of luma: a face shows the slope of the color within these.
            off = (luma &- kernel.middle).smaller(Numbers(repeating: 80)).greater(.zero)
            // Clipped pixels are gray.
            let room = (235 &- luma) &* 6
            lit = (luma &- 16).smaller(room)
            along = (off &* kernel.alongSlope) &>> 8 &+ (lit &* kernel.grayAlong) &>> 6
            // Near white there is room for three quarters of a code value of Cr below each code value of luma.
            expected = (off &* kernel.leastSlope) &>> 6 &+ kernel.least
            needed = expected.smaller(room.greater(Numbers(repeating: SkinColorKernel.leastRoom)))
        }
    }

    /// How far a color is along the direction, without what depends on luma.
    @inline(__always)
    private func chroma(_ a: Numbers, _ b: Numbers) -> Numbers { (a &* red &+ b &* yellow) &>> 4 }

    private func findLeastChroma() -> Int16 {
        var least = Numbers(repeating: .max)
        // Of the luma that matches.
        for start in stride(from: max(0, dark + 1) & ~7, to: min(256, bright), by: 8) {
            let light = Light(Numbers(0, 1, 2, 3, 4, 5, 6, 7) &+ start, self)
            least = least.smaller(light.needed &+ light.along)
        }
        return least.min() - Int16(Self.allowance)
    }

    /// Whether any of sixteen blocks may match.
    @inline(__always)
    private func mayMatch(_ u: Bytes, _ v: Bytes, _ luma: Bytes) -> Bool {
        let even = mayMatch(u.evenWords, v.evenWords, luma.evenWords)
        return !(even | mayMatch(u.oddWords, v.oddWords, luma.oddWords)).isZero
    }

    @inline(__always)
    private func mayMatch(_ u: Words, _ v: Words, _ luma: Words) -> Numbers {
        let (a, b, luma) = Self.numbers(u, v, luma)
        let isFar = chroma(a, b) .> Numbers(repeating: leastChroma)
        let isLit = (luma .> Numbers(repeating: dark)) .& (luma .< Numbers(repeating: bright))
        // A mask has all bits of a number set, or none.
        return unsafe unsafeBitCast(isFar .& isLit, to: Numbers.self)
    }

    /// Cr - 128, 128 - Cb and luma.
    @inline(__always)
    private static func numbers(_ u: Words, _ v: Words, _ luma: Words) -> (a: Numbers, b: Numbers, luma: Numbers) {
        // At most 255: the same bits as signed numbers.
        (
            unsafe unsafeBitCast(v, to: Numbers.self) &- 128, 128 &- (unsafe unsafeBitCast(u, to: Numbers.self)),
            unsafe unsafeBitCast(luma, to: Numbers.self)
        )
    }

    @inline(__always)
    private func distances(_ u: Words, _ v: Words, _ luma: Words, _ allowance: Words, _ far: Words) -> Distances {
        let (a, b, luma) = Self.numbers(u, v, luma)
        // A mask has all bits of a number set, or none.
        let isLight = unsafe unsafeBitCast(luma .> Numbers(repeating: self.light), to: Numbers.self)
        let more = unsafe unsafeBitCast(allowance, to: Numbers.self) & isLight
        let light = Light(luma, self)
        let along = chroma(a, b) &- light.along
        // At most 16.
        let far = unsafe unsafeBitCast(far, to: Numbers.self)
        let distance = (along &+ more &- light.needed).smaller(most &- along)
        let brightness = (luma &- dark &- (far &* farDark) &>> 4).smaller(bright &- luma)
        // Three code values, an eighth of the distance from gray, and what clipping takes.
        let tolerance = along &>> 3 &+ more &+ (light.expected &- light.needed) &+ 30
        let redder = (tolerance &- Self.farRedness).greater(.zero)
        return Distances(
            match: distance.smaller(brightness), tolerance: tolerance,
            redTolerance: tolerance &- (far &* redder) &>> 4,
            turned: (a &* yellow &- b &* red) &>> 4, off: light.off, lit: light.lit)
    }

    @inline(__always)
    private func weights(_ blocks: Distances, _ near: Words) -> Words {
        let turned = blocks.turned &- (blocks.off &* acrossSlope) &>> 8 &- (blocks.lit &* grayAcross) &>> 6
        let direction = (blocks.tolerance &+ turned).smaller(blocks.redTolerance &- turned)
        let match = direction.smaller(blocks.match)
        // Two code values of chroma, and sixteen of luma, from nothing to all.
        let weight = (match.smaller(Numbers(repeating: 16)).greater(.zero) &* 16).smaller(Numbers(repeating: 255))
        // At most 255 * 256, which needs the sixteenth bit: unsigned.
        return unsafe (unsafeBitCast(weight, to: Words.self).smaller(near) &* UInt16(bitPattern: strength)) &>> 8
    }

    /// The same for one block.
    func reference(u: UInt8, v: UInt8, luma: UInt8, x: Int, y: Int) -> UInt8 {
        let (a, b) = (Int(v) - 128, 128 - Int(u))
        let off = max(0, min(80, Int(luma) - Int(middle)))
        let lit = min(Int(luma) - 16, 6 * (235 - Int(luma)))
        let along =
            (a * Int(red) + b * Int(yellow)) >> 4 - (off * Int(alongSlope)) >> 8 - (lit * Int(grayAlong)) >> 6
        let across =
            (a * Int(yellow) - b * Int(red)) >> 4 - (off * Int(acrossSlope)) >> 8 - (lit * Int(grayAcross)) >> 6
        let far = Int(columnDistance(x))
        let more = Int(luma) > Int(light) && isInFace(x, y) ? Int(Self.allowance) : 0
        let expected = Int(least) + (off * Int(leastSlope)) >> 6
        let needed = min(expected, max(6 * (235 - Int(luma)), Int(Self.leastRoom)))
        let tolerance = 30 + more + along >> 3 + expected - needed
        let redTolerance = tolerance - (far * max(0, tolerance - Int(Self.farRedness))) >> 4
        let direction = min(tolerance + across, redTolerance - across)
        let distance = min(along + more - needed, Int(most) - along)
        let brightness = min(Int(luma) - Int(dark) - (far * Int(farDark)) >> 4, Int(bright) - Int(luma))
        let weight = max(0, min(255, 16 * min(direction, distance, brightness)))
        return UInt8((min(weight, Int(min(columnReach(x), rowReach(y)))) * Int(strength)) >> 8)
    }
}

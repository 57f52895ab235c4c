/// The color of a face's skin in this light: its chroma, as a direction from gray and a distance, and its luma.
///
/// Light and blood change the distance from gray more than the direction: arms are redder than a face, and its sunlit
/// half is paler. So another color belongs to the skin if its direction is about the same, and its distance within
/// 0.65 to 2 times. The color of gray depends on the light, too.
struct SkinColor: Equatable {
    /// Cr - 128 and 128 - Cb, in 16ths of a code value.
    var red, yellow: Int
    /// How much both rise with luma, in 256ths of a code value per code value of luma: a lamp or the sun changes the
    /// color of what it shines on.
    var redSlope = 0, yellowSlope = 0
    /// The luma at which the face has its color, in 16ths, as all luma here.
    var middle: Int
    /// The luma that a tenth of the face is darker than, and the one that a twentieth is brighter than.
    var dark, bright: Int
    /// The luma that a 32nd of the middle of the face exceeds, whatever its color: clipped pixels have no color.
    var highlight: Int
    /// The color of gray in this light.
    var gray = LightGray()

    /// A color that does not change with luma, in light that is as the camera takes it to be: luma in code values.
    init(red: Int, yellow: Int, dark: Int, bright: Int) {
        (self.red, self.yellow, self.dark, self.bright) = (red, yellow, 16 * dark, 16 * bright)
        middle = 8 * (dark + bright)
        highlight = self.bright
    }

    /// Learns from the middle of a face: medians of the blocks that are not much less warm than the warmest fifth.
    /// Hair, eyes and walls are less warm.
    ///
    /// - Parameters:
    ///   - face: its position, in blocks.
    ///   - gray: the previous color of gray. It stays if none is visible.
    ///   - u, v, luma: the blocks.
    /// - Returns: `nil` if the face is outside the picture, or if no skin has that color in any light.
    init?(
        of face: FaceRegion, gray: LightGray = LightGray(), u: borrowing CellPlane, v: borrowing CellPlane,
        luma: borrowing CellPlane
    ) {
        let width = (face.x + face.side / 4..<face.x + face.side - face.side / 4).clamped(to: 0..<luma.width)
        let height = (face.y + face.side / 10..<face.y + face.side).clamped(to: 0..<luma.height)
        guard !width.isEmpty, !height.isEmpty else { return nil }
        // Some thousand blocks of large faces are a sufficient sample.
        let step = 1 + face.side / 64
        let columns = stride(from: width.lowerBound, to: width.upperBound, by: step)
        let rows = stride(from: height.lowerBound, to: height.upperBound, by: step)
        var light = Counts()
        for y in rows { for x in columns { light.add(luma.row(y)[x]) } }
        highlight = 16 * light.value(248)
        func leastWarmth(_ gray: LightGray) -> Int {
            var counts = Counts()
            for y in rows { for x in columns { counts.add(gray.warmth(u.row(y)[x], v.row(y)[x], luma.row(y)[x])) } }
            return counts.value(205) * 5 / 8
        }
        func samples(atLeast least: Int, _ gray: LightGray) -> Samples {
            var samples = Samples()
            for y in rows {
                for x in columns where gray.warmth(u.row(y)[x], v.row(y)[x], luma.row(y)[x]) >= least {
                    samples.add(u.row(y)[x], v.row(y)[x], luma.row(y)[x])
                }
            }
            return samples
        }
        // About: gray is not known yet.
        let warm = samples(atLeast: leastWarmth(LightGray()), LightGray())
        let warmLight = max(1, warm.luma(128) - 16)
        let color = LightGray(red: warm.red(128) * 256 / warmLight, yellow: warm.yellow(128) * 256 / warmLight)
        let gray = LightGray.beside(face, skin: color, u: u, v: v, luma: luma) ?? gray
        let least = leastWarmth(gray)
        let skin = samples(atLeast: least, gray)
        self.gray = gray
        (red, yellow) = (skin.red(128), skin.yellow(128))
        (dark, middle, bright) = (16 * skin.luma(26), 16 * skin.luma(140), 16 * skin.luma(243))
        let distance = distanceFromGray
        guard distance.red >= -32, distance.yellow >= -96, distance.red + distance.yellow >= 48 else { return nil }

        // The brightest third, and the third below.
        let (third, brightThird) = (skin.luma(85), skin.luma(171))
        var (low, high) = (Samples(), Samples())
        for y in rows {
            for x in columns where gray.warmth(u.row(y)[x], v.row(y)[x], luma.row(y)[x]) >= least {
                let light = Int(luma.row(y)[x])
                if light > brightThird {
                    high.add(u.row(y)[x], v.row(y)[x], luma.row(y)[x])
                } else if light > third {
                    low.add(u.row(y)[x], v.row(y)[x], luma.row(y)[x])
                }
            }
        }
        guard low.count > 3, high.count > 3 else { return }
        let rise = high.luma(128) - low.luma(128) + 12
        func slope(_ low: Int, _ high: Int) -> Int { max(-32, min(32, 16 * (high - low) / rise)) }
        redSlope = slope(low.red(128), high.red(128))
        yellowSlope = slope(low.yellow(128), high.yellow(128))
    }

    /// Whether it is lit as evenly as no face is, which has a nose and cheeks: a screen or a wall that was taken for a
    /// face.
    ///
    /// From the darkest tenth to the brightest twentieth, faces of three clips in seven lights have 0.31 to 0.64 of
    /// their luma.
    var isFlat: Bool { 6 * (bright - dark) < middle }

    /// How much redder and more yellow it is than gray, in 16ths of a code value.
    var distanceFromGray: (red: Int, yellow: Int) {
        let light = middle / 16 - 16
        return (red - gray.red * light / 256, yellow - gray.yellow * light / 256)
    }

    /// Moves an eighth of the way to what a new sighting of the face shows.
    mutating func approach(_ seen: SkinColor) {
        move(to: seen) { value, aim in value + (aim - value + (aim > value ? 7 : -7)) / 8 }
    }

    /// Moves toward another color for a frame, so slowly that changes of light do not show as steps: by a 16th of a
    /// code value of chroma, and by more only where there is far to go.
    mutating func creep(to aim: SkinColor) {
        move(to: aim) { value, aim in
            let (distance, most) = (aim - value, max(1, abs(aim - value) / 32))
            return value + max(-most, min(most, distance))
        }
    }

    private mutating func move(to other: SkinColor, _ moved: (_ value: Int, _ aim: Int) -> Int) {
        red = moved(red, other.red)
        yellow = moved(yellow, other.yellow)
        redSlope = moved(redSlope, other.redSlope)
        yellowSlope = moved(yellowSlope, other.yellowSlope)
        middle = moved(middle, other.middle)
        dark = moved(dark, other.dark)
        bright = moved(bright, other.bright)
        highlight = moved(highlight, other.highlight)
        gray.red = moved(gray.red, other.gray.red)
        gray.yellow = moved(gray.yellow, other.gray.yellow)
    }
}

/// How often each value of luma and chroma occurs in part of a picture.
private struct Samples {
    private var u = Counts()
    private var v = Counts()
    private var light = Counts()

    var count: Int { light.count }

    mutating func add(_ blue: UInt8, _ red: UInt8, _ luma: UInt8) {
        u.add(blue)
        v.add(red)
        light.add(luma)
    }

    /// The values that `share` 256ths are not above, in 16ths for chroma.
    func red(_ share: Int) -> Int { 16 * (v.value(share) - 128) }
    func yellow(_ share: Int) -> Int { 16 * (128 - u.value(share)) }
    func luma(_ share: Int) -> Int { light.value(share) }
}

/// How often each value occurs.
private struct Counts {
    private var counts = InlineArray<256, Int32>(repeating: 0)
    private(set) var count = 0

    mutating func add(_ value: UInt8) {
        counts[Int(value)] += 1
        count += 1
    }

    /// The value that `share` 256ths are not above.
    func value(_ share: Int) -> Int {
        // A subscript of an inline array copies all of it.
        let counts = counts.span
        var left = count * share / 256
        for value in 0..<255 {
            left -= Int(counts[value])
            if left < 0 { return value }
        }
        return 255
    }
}

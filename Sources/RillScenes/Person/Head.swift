/// A head. It is painted once, repainted where it moves by itself (eyes and mouth), and placed in each frame.
struct Head {
    /// The expression of the face at one moment.
    struct Expression: Equatable {
        /// How far the lids are open: 0 is shut, 1 is normal.
        var eyeOpening: Float
        /// Where the eyes look: the distance of the irises from the middle of their slits (head heights).
        var gaze: Point
        /// How far the lips are apart, 0 to 1.
        var mouth: Float
    }

    /// A part of the sprite that is painted repeatedly, with its canvas.
    private struct Part {
        let region: Sprite.Region
        var canvas: Canvas

        init(_ box: Box, of sprite: Sprite, side: Int) {
            region = sprite.region(touching: box)
            canvas = Canvas(sprite.canvasGrid(region, side: side))
        }
    }

    private let rest: Sprite
    private let side: Int
    private let eyes: [Eye]
    private let mouth = Mouth()
    private var shown: Expression?
    private var eyeParts: [Part]
    private var mouthPart: Part

    /// The head with the latest expression.
    private(set) var sprite: Sprite

    /// Creates a head.
    ///
    /// - Parameters:
    ///   - tone: the skin tone.
    ///   - hairColor: the color of hair and brows.
    ///   - wearsGlasses: whether the person wears glasses.
    ///   - seed: determines everything random.
    ///   - texel: the side of the sprite's texels in head heights.
    ///   - headHeight: the height of a head in the picture's.
    init(
        tone: SkinTone, hairColor: HairColor, wearsGlasses: Bool, seed: UInt64, texel: Float, headHeight: Float
    ) {
        let relief = Relief(Face.box, step: bounded(texel, 1 / 270, 1 / 90), hollow: 0.035) { FaceShape.height($0) }
        let skin = FaceSkin(tone: tone, relief: relief, seed: seed)
        let hair = Hair(color: hairColor, seed: seed)
        let lips = Lips(tone: tone, relief: relief, seed: seed)
        let brows = Brows(color: RGB(srgb: hairColor.srgb) * 0.55, seed: seed)
        let ears = Ears(tone: tone, seed: seed)
        let glasses = wearsGlasses ? Glasses() : nil
        side = supersampling(texel: texel * headHeight)
        rest = Sprite(Face.box, texel: texel, side: side) { canvas in
            hair.paintBehind(on: &canvas)
            ears.paint(on: &canvas)
            skin.paint(on: &canvas)
            lips.paint(on: &canvas)
            brows.paint(on: &canvas)
            hair.paint(on: &canvas)
            glasses?.paint(on: &canvas)
        }
        sprite = rest
        eyes = [-1, 1].map { Eye(side: $0, tone: tone, seed: seed) }
        let (rest, side) = (self.rest, self.side)
        eyeParts = eyes.map { Part($0.box, of: rest, side: side) }
        mouthPart = Part(Mouth.box, of: rest, side: side)
    }

    /// Applies an expression. Costs nothing if it is unchanged.
    mutating func express(_ expression: Expression) {
        guard expression != shown else { return }
        shown = expression
        // All of it first: in a very small picture the parts share texels.
        sprite.restore(mouthPart.region, from: rest)
        for eye in eyeParts { sprite.restore(eye.region, from: rest) }
        openMouth(expression.mouth * Mouth.widest)
        for index in eyes.indices {
            eyeParts[index].canvas.clear()
            eyes[index].paint(on: &eyeParts[index].canvas, expression)
            sprite.cover(eyeParts[index].region, eyeParts[index].canvas, side: side)
        }
    }

    private mutating func openMouth(_ opening: Float) {
        guard opening > 0 else { return }
        sprite.shift(mouthPart.region, of: rest) { Head.way(toRest: $0, opening: opening) }
        mouthPart.canvas.clear()
        mouth.paint(on: &mouthPart.canvas, opening: opening)
        sprite.cover(mouthPart.region, mouthPart.canvas, side: side)
    }

    /// Returns how far below at rest the skin is that is at `p` while the lips are apart.
    private static func way(toRest p: Point, opening: Float) -> Float {
        let (up, down) = Mouth.parting(p.x, opening: opening)
        let fromLine = p.y - Face.mouthLine(p.x)
        if fromLine < 0 { return min(up * ramp(Mouth.box.low.y, 0.29, p.y), -fromLine) }
        return -min(down * ramp(Mouth.box.high.y, 0.36, p.y), fromLine)
    }
}

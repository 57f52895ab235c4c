/// A head: painted once, then changed where it moves by itself (eyes and mouth) and put into each frame as it is held.
struct Head {
    /// How the face is at one moment.
    struct Expression: Equatable {
        var eyeOpening: Float
        var gaze: Point
        /// How far the lips are apart, 0 to 1.
        var mouth: Float
    }

    private let rest: Sprite
    private let side: Int
    private let eyes: [Eye]
    private let mouth = Mouth()
    private var canvases: [Canvas]
    private var shown: Expression?

    /// The head as it was last given an expression.
    private(set) var sprite: Sprite

    /// - Parameters:
    ///   - settings: whose head.
    ///   - texel: side of the sprite's texels in head heights.
    init(settings: PortraitScene.Settings, texel: Float) {
        let tone = settings.skinTone
        let seed = settings.seed
        let relief = Relief(Face.box, step: bounded(texel, 1 / 270, 1 / 90), hollow: 0.035) { FaceShape.height($0) }
        let skin = FaceSkin(tone: tone, relief: relief, seed: seed)
        let hair = Hair(color: settings.hairColor, seed: seed)
        let lips = Lips(tone: tone, relief: relief, seed: seed)
        let brows = Brows(color: RGB(srgb: settings.hairColor.srgb) * 0.55, seed: seed)
        let ears = Ears(tone: tone, seed: seed)
        let glasses = settings.wearsGlasses ? Glasses() : nil
        side = supersampling(texel: texel * Framing.headHeight)
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
        let boxes = eyes.map(\.box) + [Mouth.box]
        canvases = [Canvas]()
        for box in boxes { canvases.append(Canvas(rest.canvasGrid(rest.region(touching: box), side: side))) }
    }

    /// Makes the face look like that. Costs nothing when it already does.
    mutating func express(_ expression: Expression) {
        if shown?.eyeOpening != expression.eyeOpening || shown?.gaze != expression.gaze {
            let pose = Eye.Pose(opening: expression.eyeOpening, gaze: expression.gaze)
            for (index, eye) in eyes.enumerated() {
                let region = sprite.region(touching: eye.box)
                sprite.restore(region, from: rest)
                canvases[index].move(to: canvases[index].grid)
                eye.paint(on: &canvases[index], pose)
                sprite.cover(region, canvases[index], side)
            }
        }
        if shown?.mouth != expression.mouth {
            let opening = expression.mouth * Mouth.widest
            let region = sprite.region(touching: Mouth.box)
            sprite.restore(region, from: rest) { p in Head.lipSource(p, opening: opening) }
            if opening > 0 {
                canvases[2].move(to: canvases[2].grid)
                mouth.paint(on: &canvases[2], opening: opening)
                sprite.cover(region, canvases[2], side)
            }
        }
        shown = expression
    }

    /// Where the skin that is at `p` while the lips are apart is at rest: how far below.
    private static func lipSource(_ p: Point, opening: Float) -> Float {
        let (up, down) = Mouth.parting(p.x, opening: opening)
        let fromLine = p.y - Face.mouthLine(p.x)
        if fromLine < 0 { return min(up * ramp(Mouth.box.low.y, 0.29, p.y), -fromLine) }
        return -min(down * ramp(Mouth.box.high.y, 0.36, p.y), fromLine)
    }
}

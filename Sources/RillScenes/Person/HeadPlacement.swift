/// How a head is held at one moment: how to get from the frame to the head's own plane and back.
struct HeadPlacement {
    /// Where the point between the eyes is in the scene, were the head not turned.
    var position: Point
    /// Head height in the scene.
    var size: Float
    /// Cosine and sine of the angle by which it is tilted to the right of the picture.
    var tilt: Point
    /// How far it is turned to the right of the picture, and how far down (sines).
    var turn: Point
    /// How far the jaw has fallen (head heights).
    var jaw: Float

    /// The place of the head, at rest, that is seen at a place of the scene.
    func head(_ scene: Point) -> Point {
        let d = (scene - position) / size
        let upright = d.turned(cosine: tilt.x, sine: -tilt.y)
        // What is nearer to the viewer goes farther when the head turns. Solved by doing it twice.
        var q = upright - turn * Face.depth(upright)
        q = upright - turn * Face.depth(q)
        q.y -= jaw * ramp(0.30, 0.44, q.y)
        return q
    }

    /// The place of the scene where a place of the head is seen.
    func scene(_ head: Point) -> Point {
        let fallen = head + Point(0, jaw * ramp(0.30, 0.44, head.y))
        let upright = fallen + turn * Face.depth(fallen)
        return position + upright.turned(cosine: tilt.x, sine: tilt.y) * size
    }
}

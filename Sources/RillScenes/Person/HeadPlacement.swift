/// The pose of a head at one moment: it converts positions between the scene and the head's own plane.
struct HeadPlacement {
    /// The position between the eyes in the scene, if the head were not rotated.
    var position: Point
    /// The head height in the scene.
    var size: Float
    /// The cosine and sine of the tilt to the right of the picture.
    var tilt: Point
    /// How far it is rotated to the right of the picture, and down (sines).
    var turn: Point
    /// How far the jaw is lowered (head heights).
    var jaw: Float

    /// Converts a position in the scene to the head at rest.
    func head(_ scene: Point) -> Point {
        let d = (scene - position) / size
        let upright = d.turned(cosine: tilt.x, sine: -tilt.y)
        // Parts nearer to the viewer move farther when the head rotates. Two iterations solve this.
        var q = upright - turn * Face.depth(upright)
        q = upright - turn * Face.depth(q)
        q.y -= jaw * ramp(0.30, 0.44, q.y)
        return q
    }

    /// Converts a position on the head to the scene.
    func scene(_ head: Point) -> Point {
        let fallen = head + Point(0, jaw * ramp(0.30, 0.44, head.y))
        let upright = fallen + turn * Face.depth(fallen)
        return position + upright.turned(cosine: tilt.x, sine: tilt.y) * size
    }
}

import RillCore

/// The positions of features in a frame of a portrait scene, as rectangles of pixels clipped to the picture.
///
/// Patches (`skin`, `wall`) are entirely inside of what they are named for. Features (eyes, brows …) are entirely
/// inside of their rectangle. The left of the image comes first.
package struct PortraitLandmarks: Hashable, Sendable {
    /// The whole head, with ears and hair.
    package var head: PixelRect
    /// Bare skin: forehead, left cheek, right cheek.
    package var skin: [PixelRect]
    /// The eyes, from the creases to the lower lids.
    package var eyes: [PixelRect]
    /// The brows.
    package var brows: [PixelRect]
    /// The lips, closed or open.
    package var lips: PixelRect
    /// A patch that is entirely hair.
    package var hair: PixelRect
    /// The transition between forehead and hair.
    package var hairLine: PixelRect
    /// Plain wall: all its structure is fainter than the sensor noise.
    package var wall: PixelRect
    /// The print on the poster; empty in a picture too narrow to show it.
    package var print: PixelRect
    /// The palm, if it is in the picture.
    package var palm: PixelRect?
}

extension PortraitScene {
    /// Returns the landmarks of frame `index`. It draws nothing.
    package func landmarks(frame index: Int) -> PortraitLandmarks {
        let pose = self.pose(frame: index)
        func around(_ box: Box) -> PixelRect { framing.pixels(touching: box.mapped(pose.head.scene)) }
        func both(_ box: (Float) -> Box) -> [PixelRect] { [-1, 1].map { around(box($0)) } }
        func cheek(_ side: Float) -> Box { Box(centre: Point(0.185 * side, 0.130), radii: Point(0.045, 0.035)) }
        func eye(_ side: Float) -> Box {
            Box(centre: Face.eye * Point(side, 1), radii: Point(Face.eyeHalfWidth + 0.015, 0.045))
        }

        let forehead = Box(centre: Point(0, -0.205), radii: Point(0.10, 0.04))
        let mouth = Box(centre: Face.mouth + Point(0, 0.010), radii: Point(Face.mouthHalfWidth + 0.015, 0.065))
        let hairTop = Box(centre: Point(0.02, -0.455), radii: Point(0.13, 0.05))
        let hairLine = Box(centre: Point(0, -0.325), radii: Point(0.14, 0.05))
        let palm = pose.hand.map { hand in framing.pixels(touching: Hand.palm.mapped(hand.scene)) }
        return PortraitLandmarks(
            head: around(Face.visible), skin: [around(forehead)] + both(cheek), eyes: both(eye),
            brows: both(Brows.box), lips: around(mouth), hair: around(hairTop), hairLine: around(hairLine),
            wall: framing.pixels(touching: Room.plainWall), print: framing.pixels(touching: Poster.print),
            palm: palm.flatMap { $0.isEmpty ? nil : $0 })
    }
}

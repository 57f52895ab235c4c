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
}

extension PortraitScene {
    /// Returns the landmarks of frame `index`. It draws nothing.
    package func landmarks(frame index: Int) -> PortraitLandmarks {
        let pose = self.pose(frame: index)
        func around(_ box: Box) -> PixelRect { framing.pixels(touching: box.mapped(pose.scene)) }
        func around(_ x: Float, _ y: Float, _ width: Float, _ height: Float) -> PixelRect {
            around(Box(centre: Point(x, y), radii: Point(width, height)))
        }
        let brow = Point(0.155, -0.107)
        return PortraitLandmarks(
            head: around(Face.visible),
            skin: [around(0, -0.205, 0.10, 0.04)] + [-1, 1].map { around(0.185 * $0, 0.130, 0.045, 0.035) },
            eyes: [-1, 1].map { around(Face.eye.x * $0, Face.eye.y, Face.eyeHalfWidth + 0.015, 0.045) },
            brows: [-1, 1].map { around(brow.x * $0, brow.y, 0.115, 0.032) },
            lips: around(0, Face.mouth.y + 0.010, Face.mouthHalfWidth + 0.015, 0.065),
            hair: around(0.02, -0.455, 0.13, 0.05), hairLine: around(0, -0.325, 0.14, 0.05),
            wall: framing.pixels(touching: Room.plainWall), print: framing.pixels(touching: Room.print))
    }
}

import Clips
import Rill
import RillImage

extension Material {
    /// The clip's pictures as if the person sat close to the camera: the face of the drawn portrait is a third as wide
    /// as the picture.
    func closePictures() throws -> Pendulum {
        let part = Resolution(width: resolution.width / 2 & ~1, height: resolution.height / 2 & ~1)
        let crop = CropRegion(
            x: (resolution.width - part.width) / 2 & ~1, y: resolution.height / 5 & ~1, resolution: part)
        // Half of them: they are kept in memory.
        let half = try frames.get().prefix(Self.frameCount / 2)
        let pool = try pool(capacity: half.count)
        return Pendulum(half.compactMap { $0.scaled(crop, into: pool) })
    }
}

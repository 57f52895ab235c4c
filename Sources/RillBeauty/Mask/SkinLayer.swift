/// The skin of each block by one method: by the color of all skin, or by that of the known faces.
final class SkinLayer {
    /// How likely a block is skin by its color.
    let likelihood: CellPlane
    /// How likely it is by color and texture, blurred.
    let skin: CellPlane
    /// The mask. It includes eyes and lips, and persists from frame to frame, which keeps it steady.
    let mask: CellPlane
    /// Whether the mask is that of the previous frame.
    var hasMask = false

    /// Allocates the planes for that many blocks.
    init(width: Int, height: Int) {
        likelihood = CellPlane(width: width, height: height)
        skin = CellPlane(width: width, height: height)
        mask = CellPlane(width: width, height: height)
    }

    /// Moves the mask towards that of a new frame.
    func steady(towards target: borrowing CellPlane, noise: UInt8) {
        if hasMask {
            SteadyingKernel.run(mask, towards: target, noise: noise)
        } else {
            SteadyingKernel.begin(mask, with: target)
        }
        hasMask = true
    }
}

import RillCore

/// The placement of the person's parts in a frame, from back to front.
extension PortraitScene {
    func putTorso(_ pose: PortraitMotion.Pose, into planes: inout MutablePlanes) {
        let (framing, grid) = (self.framing, torso.grid)
        let base = framing.headCentre + pose.shoulders
        let lead = pose.head.position - base
        let box = grid.box.mapped { $0 * framing.personSize + base }
        planes.put(torso, in: framing.pixels(touching: box)) { pixels in
            var p = framing.scene(pixels) - base
            // The upper end of the neck moves with the head, the lower end with the shoulders.
            p -= lead * ramp(Torso.neckBase, Torso.neckTop, p.y / framing.personSize)
            return (p / framing.personSize - grid.origin) / grid.step
        }
    }

    func putHead(_ pose: PortraitMotion.Pose, into planes: inout MutablePlanes) {
        head.express(pose.expression)
        let (framing, grid, placement) = (self.framing, head.sprite.grid, pose.head)
        let box = grid.box.mapped(placement.scene)
        planes.put(head.sprite, in: framing.pixels(touching: box)) { pixels in
            (placement.head(framing.scene(pixels)) - grid.origin) / grid.step
        }
    }

    func putHand(_ pose: PortraitMotion.Pose, into planes: inout MutablePlanes) {
        guard let placement = pose.hand else { return }
        let (framing, grid) = (self.framing, hand.grid)
        let box = grid.box.mapped(placement.scene)
        planes.put(hand, in: framing.pixels(touching: box)) { pixels in
            (placement.hand(framing.scene(pixels)) - grid.origin) / grid.step
        }
    }
}

// library-scenes: RillScenes alone. Draws two people in the same room: one face is lighter, the corner of the room is
// equal.

import RillCore
import RillScenes

func brightness(of tone: SkinTone) throws -> (face: Double, corner: UInt8) {
    let settings = PortraitScene.Settings(skinTone: tone, waves: false, noise: 0)
    let scene = try PortraitScene(
        resolution: Resolution(width: 320, height: 240), frameRate: 30, frameCount: 1, settings: settings)
    guard case .frame(let frame) = scene.next() else { return (0, 0) }
    var sum = 0
    for y in 100..<120 {
        for x in 145..<175 { sum += Int(frame.y[x, y]) }
    }
    return (Double(sum) / 600, frame.y[4, 4])
}

let (light, dark) = (try brightness(of: .light), try brightness(of: .dark))
print("lighter: \(light.face > dark.face + 20), the same room: \(light.corner == dark.corner && light.corner > 0)")

import RillCore
import Testing

@testable import RillCapture

@Test func debugSpeed() throws {
    for size in [Resolution.qqvga, .vga] {
        let c = ContinuousClock()
        var scene: PortraitScene?
        print(size, "init", try c.measure { scene = try PortraitScene(resolution: size, frameRate: 30) })
        print(size, "frames", c.measure { for n in 0..<5 { _ = scene!.draw(frame: n) } } / 5)
        print(size, "hand frames", c.measure { for n in 140..<145 { _ = scene!.draw(frame: n) } } / 5)
    }
}

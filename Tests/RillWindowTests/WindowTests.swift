#if Window
import CSDL
import RillCore
import RillWindow
import Testing

/// The drawn pixels, read back from a window without a screen. SDL has one thread: the main thread.
@MainActor @Suite(.serialized) struct WindowTests {
    init() {
        // SDL's dummy driver draws into memory, which the tests read.
        unsafe SDL_SetHint("SDL_VIDEODRIVER", "dummy")
        unsafe SDL_SetHint("SDL_RENDER_DRIVER", "software")
    }

    /// A frame with one color in its left half, another in its right half, and a third in its lower right quarter.
    private func frame(
        _ width: Int, _ height: Int, _ colorSpace: ColorSpace = .bt601, rotation: Rotation = .none,
        format: PixelFormat = .i420
    ) throws -> VideoFrame {
        let pool = try FramePool(
            layout: FrameLayout(format, Resolution(width: width, height: height)), capacity: 1)
        guard var frame = pool.makeFrame() else { throw NoFrame() }
        // Red, green and blue; in full range white, black and grey.
        let colors: [(y: UInt8, u: UInt8, v: UInt8)] =
            colorSpace.range == .full
            ? [(255, 128, 128), (0, 128, 128), (128, 128, 128)] : [(82, 90, 240), (145, 54, 34), (41, 240, 110)]
        func color(_ x: Int, _ y: Int, of width: Int, _ height: Int) -> (y: UInt8, u: UInt8, v: UInt8) {
            x < width / 2 ? colors[0] : (y < height / 2 ? colors[1] : colors[2])
        }
        var planes = frame.planes
        for y in 0..<height {
            for x in 0..<width { planes.y.bytes[y * planes.y.stride + x] = color(x, y, of: width, height).y }
        }
        for y in 0..<height / 2 {
            for x in 0..<width / 2 {
                let told = color(x, y, of: width / 2, height / 2)
                if format == .nv12 {
                    planes.u.bytes[y * planes.u.stride + 2 * x] = told.u
                    planes.u.bytes[y * planes.u.stride + 2 * x + 1] = told.v
                } else {
                    planes.u.bytes[y * planes.u.stride + x] = told.u
                    planes.v.bytes[y * planes.v.stride + x] = told.v
                }
            }
        }
        var made = frame.finish(captureTime: MediaTime.zero, colorSpace: colorSpace)
        made.rotation = rotation
        return made
    }

    private func expectNext(
        _ window: Window, _ event: Window.Event?, at line: SourceLocation = #_sourceLocation
    ) throws {
        // SDL adds a sentinel event at the end of each poll cycle, which the next cycle may return first.
        let next = try window.poll() ?? window.poll()
        #expect(next == event, sourceLocation: line)
    }

    private struct NoFrame: Error {}

    /// Checks the colors of the window at these points.
    private func expectColors(
        _ window: Window, _ points: (x: Int, y: Int, color: [Int])..., at line: SourceLocation = #_sourceLocation
    ) throws {
        let (bytes, width, _) = try window.pixels()
        for point in points {
            let seen = (0..<3).map { Int(bytes[(point.y * width + point.x) * 3 + $0]) }
            let isNear = zip(seen, point.color).allSatisfy { abs($0 - $1) <= 12 }
            #expect(isNear, "\(seen) at \(point.x), \(point.y)", sourceLocation: line)
        }
    }

    private static let (red, green, blue, ground) = ([255, 0, 0], [0, 255, 0], [0, 0, 255], [16, 16, 16])

    @Test(arguments: [PixelFormat.i420, .nv12])
    func `A picture has its colors and black bars, or fills the window`(format: PixelFormat) throws {
        let window = try Window("test", width: 400, height: 200)
        let tile = window.add("one")
        tile.consume(try frame(64, 64, format: format))
        try expectColors(window, (150, 100, Self.red), (250, 50, Self.green))
        try expectColors(window, (250, 150, Self.blue), (50, 100, Self.ground))
        window.views[0].scaling = .fill
        try expectColors(window, (50, 100, Self.red), (390, 10, Self.green))
        window.views[0].isMirrored = true
        try expectColors(window, (390, 100, Self.red), (50, 10, Self.green))
    }

    @Test func `A rotated picture is drawn upright, mirrored too`() throws {
        let window = try Window("test", width: 200, height: 200)
        let tile = window.add("one")
        // Rotated by 90 degrees clockwise: the left side is at the top.
        tile.consume(try frame(64, 32, rotation: .clockwise90))
        // Upright it is 32 wide and 64 high: centered, 100 wide.
        try expectColors(window, (100, 50, Self.red), (20, 100, Self.ground))
        try expectColors(window, (125, 150, Self.green), (75, 150, Self.blue))
        window.views[0].isMirrored = true
        try expectColors(window, (100, 50, Self.red))
        try expectColors(window, (75, 150, Self.green), (125, 150, Self.blue))
    }

    @Test func `Full range is drawn as full range`() throws {
        let window = try Window("test", width: 100, height: 100)
        let tile = window.add("one")
        tile.consume(try frame(64, 64, ColorSpace(range: .full)))
        try expectColors(window, (25, 50, [255, 255, 255]), (75, 25, [0, 0, 0]))
    }

    @Test func `Sizes change from frame to frame, with several pictures`() throws {
        let window = try Window("test", width: 400, height: 150)
        let (one, two) = (window.add("one"), window.add("two"))
        for size in [(64, 64), (160, 120), (2, 2), (640, 480)] {
            one.consume(try frame(size.0, size.1))
            two.consume(try frame(size.1, size.0))
            // The left half of each is red, as far as it is visible.
            let areas = window.areas
            #expect(areas.count == 2 && areas[1].x == 200)
            if size.0 > 2 {
                try expectColors(window, (70, 75, Self.red))
                try expectColors(window, (200 + 95, 75, Self.red))
            }
            _ = try window.pixels()
        }
        #expect(one.count == 4 && one.size == Resolution(width: 640, height: 480))
    }

    @Test func `Figures appear in the corner, and disappear`() throws {
        let window = try Window("test", width: 300, height: 100)
        let tile = window.add("one")
        tile.consume(try frame(64, 64))
        let before = try window.pixels().bytes
        window.views[0].lines = ["640x480 30.0 fps", "größer — ✓"]
        let with = try window.pixels().bytes
        #expect(window.hasLettering && with != before)
        window.views[0].lines = []
        let after = try window.pixels().bytes
        #expect(after == before)
    }

    @Test func `Keys, clicks and wake-ups are reported`() throws {
        let window = try Window("test", width: 200, height: 100)
        let tile = window.add("one")
        _ = window.add("two")
        while try window.poll() != nil {}
        func push(_ make: (inout SDL_Event) -> Void) {
            var event = unsafe SDL_Event()
            unsafe make(&event)
            unsafe SDL_PushEvent(&event)
        }
        unsafe push { event in
            unsafe event.type = SDL_KEYDOWN.rawValue
            unsafe event.key.keysym.sym = Int32(SDLK_b.rawValue)
        }
        try expectNext(window, .key("b"))
        unsafe push { event in
            unsafe event.type = SDL_KEYDOWN.rawValue
            unsafe event.key.keysym.sym = Int32(SDLK_F1.rawValue)
        }
        try expectNext(window, nil)
        unsafe push { event in
            unsafe event.type = SDL_MOUSEBUTTONDOWN.rawValue
            unsafe (event.button.x, event.button.y) = (150, 50)
        }
        try expectNext(window, .click(tile: 1))
        for _ in 0..<5 { tile.consume(try frame(64, 64)) }
        // Pending wake-ups are merged.
        try expectNext(window, .woken)
        try expectNext(window, nil)
        unsafe push { unsafe $0.type = SDL_QUIT.rawValue }
        try expectNext(window, .closed)
    }
}
#endif

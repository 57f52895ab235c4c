import RillCore
import RillTestSupport
import Testing

@Suite struct VideoFrameTests {
    @Test func `A frame describes itself in logs and debuggers`() throws {
        var frame = try existing(FramePool(resolution: .vga, capacity: 1).makeFrame())
            .finish(captureTime: .zero + .milliseconds(40))
        #expect("\(frame)" == "640x480 i420 at 40ms")
        frame.rotation = .clockwise90
        #expect(String(describing: frame) == "640x480 i420 at 40ms, rotate by 90°")
        let names = Mirror(reflecting: frame).children.compactMap(\.label)
        #expect(names == ["format", "resolution", "captureTime", "colorSpace", "rotation"])
        // This trapped where the mirror showed the pool.
        var dumped = ""
        dump(frame, to: &dumped)
        #expect(dumped.contains("RillCore.PixelFormat.i420"))
    }
}

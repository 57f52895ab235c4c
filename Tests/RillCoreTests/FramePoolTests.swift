import RillCore
import RillTestSupport
import Testing

struct FramePoolTests {
    @Test func `A dry pool answers nil and counts the miss`() throws {
        let pool = try FramePool(resolution: Resolution(width: 17, height: 13), capacity: 2)
        let first = pool.makeFrame()?.finish(captureTime: .zero)
        let second = pool.makeFrame()?.finish(captureTime: .zero)
        #expect(first != nil && second != nil)
        let third = pool.makeFrame()?.finish(captureTime: .zero)
        #expect(third == nil)
        #expect(pool.statistics.inUse == 2 && pool.statistics.handedOut == 2 && pool.statistics.misses == 1)
    }

    @Test func `The last copy to go returns the buffer`() throws {
        let pool = try FramePool(resolution: .qqvga, capacity: 1)
        do {
            let frame = try existing(pool.makeFrame()).finish(captureTime: .zero)
            do {
                let copies = [frame, frame]
                #expect(copies.count == 2)
                #expect(pool.statistics.inUse == 1)
            }
            #expect(pool.statistics.inUse == 1)
            withExtendedLifetime(frame) {}
        }
        #expect(pool.statistics.inUse == 0)
    }

    @Test func `A frame released unfinished returns its buffer`() throws {
        let pool = try FramePool(resolution: .qqvga, capacity: 1)
        do {
            var frame = try existing(pool.makeFrame())
            var planes = frame.planes
            planes.y.fill(1)
            #expect(pool.statistics.inUse == 1)
        }
        #expect(pool.statistics.inUse == 0)
    }

    @Test func `A frame outlives its pool`() throws {
        var pool: FramePool? = try FramePool(resolution: .qqvga, capacity: 1)
        var unfinished = try existing(pool?.makeFrame())
        var planes = unfinished.planes
        planes.y.fill(77)
        let frame = unfinished.finish(captureTime: .zero)
        pool = nil
        #expect(frame.y[159, 119] == 77)
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 5), (17, 13), (160, 120), (321, 241), (640, 480)])
    func `Planes of odd sizes round up and do not overlap`(width: Int, height: Int) throws {
        for format in [PixelFormat.i420, .nv12] {
            let pool = try FramePool(format, resolution: Resolution(width: width, height: height), capacity: 1)
            var unfinished = try existing(pool.makeFrame())
            var planes = unfinished.planes
            planes.y.fill(1)
            planes.u.fill(2)
            if format == .i420 { planes.v.fill(3) }
            let frame = unfinished.finish(captureTime: .zero)
            let chromaWidth = (width + 1) / 2
            let chromaHeight = (height + 1) / 2
            #expect(frame.u.width == (format == .i420 ? chromaWidth : 2 * chromaWidth))
            #expect(frame.u.height == chromaHeight)
            let expected =
                Array(repeating: UInt8(1), count: width * height)
                + Array(repeating: 2, count: frame.u.width * chromaHeight)
                + (format == .i420 ? Array(repeating: 3, count: chromaWidth * chromaHeight) : [])
            #expect(frame.samples == expected, "\(width)x\(height) \(format)")
            for plane in 0..<format.planeCount {
                #expect(frame.layout[plane: plane].stride % FrameLayout.alignment == 0)
                #expect(frame.layout[plane: plane].offset % FrameLayout.alignment == 0)
            }
        }
    }

    @Test func `Buffers are used again`() throws {
        let pool = try FramePool(resolution: .qqvga, capacity: 2)
        for _ in 0..<1000 {
            let frame = try existing(pool.makeFrame()).finish(captureTime: .zero)
            #expect(frame.resolution == .qqvga)
        }
        #expect(pool.statistics.inUse == 0 && pool.statistics.handedOut == 1000 && pool.statistics.misses == 0)
    }
}

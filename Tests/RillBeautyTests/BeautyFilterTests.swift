import RillCore
import RillScenes
import RillTestSupport
import Testing

@testable import RillBeauty

struct BeautyFilterTests {
    private func apply(
        _ options: BeautyOptions, to frame: VideoFrame, level: BeautyLevel = .full
    ) throws -> VideoFrame {
        var filter = BeautyFilter(options)
        return try existing(
            try filter.apply(to: frame, into: FramePool(resolution: frame.resolution, capacity: 1), level: level))
    }

    @Test func `Without effects the output is the input frame itself`() throws {
        let picture = try frame(35, 21, gap: 3, seed: 1)
        for contrast in BeautyOptions.LighteningContrast.allCases {
            var options = BeautyOptions.off
            options.lighteningContrast = contrast
            let result = try apply(options, to: picture)
            let isSame = unsafe result.pointer(plane: 0) == picture.pointer(plane: 0)
            #expect(isSame)
        }
        var filter = BeautyFilter(.off)
        _ = try filter.apply(to: picture, into: FramePool(resolution: picture.resolution, capacity: 1))
        #expect(filter.statistics.framesUnfiltered == 1 && filter.statistics.framesFiltered == 0)
    }

    /// Any size from 16x16 up, any stride: the output depends on the samples alone.
    @Test(arguments: [(16, 16), (17, 16), (16, 17), (31, 33), (64, 48), (65, 47), (98, 19)])
    func `Strides do not matter`(size: (Int, Int)) throws {
        for shape in [Shape.noise, .faint, .steps] {
            let results = try [0, 1, 29].map { gap in
                try apply(.strong, to: frame(size.0, size.1, shape, gap: gap, seed: 4)).samples
            }
            #expect(results[0] == results[1] && results[0] == results[2], "\(size), \(shape)")
        }
    }

    @Test func `Chroma of blue is never touched`() throws {
        let picture = try frame(64, 48, seed: 9)
        let result = try apply(.strong, to: picture)
        for y in 0..<24 { for x in 0..<32 { #expect(result.u[x, y] == picture.u[x, y]) } }
    }

    @Test func `The same frames give the same bytes`() throws {
        func run() throws -> [[UInt8]] {
            let pool = try FramePool(resolution: Resolution(width: 96, height: 54), capacity: 2)
            let scene = try PortraitScene(resolution: pool.layout.resolution, frameRate: 30, frameCount: 6)
            var filter = BeautyFilter(.natural)
            var samples: [[UInt8]] = []
            while case .frame(let frame) = scene.next() {
                samples.append(try existing(try filter.apply(to: frame, into: pool)).samples)
                if samples.count == 3 { filter.options = .strong }
            }
            return samples
        }
        let (first, second) = (try run(), try run())
        #expect(first == second && first.count == 6)
    }

    @Test func `A change takes eight frames, and nothing pops`() throws {
        let resolution = Resolution(width: 128, height: 96)
        let pool = try FramePool(resolution: resolution, capacity: 2)
        let scene = try PortraitScene(
            resolution: resolution, frameRate: 30, settings: PortraitScene.Settings(skinTone: .medium, noise: 0))
        let picture = try existing(scene.draw(frame: 0))
        var filter = BeautyFilter(.off)
        var lightening = BeautyOptions.off
        lightening.lightening = 1
        var changes: [Int] = []
        for index in 0..<24 {
            filter.options = index < 2 ? .off : index < 14 ? lightening : .off
            let result = try existing(try filter.apply(to: picture, into: pool))
            let before = picture.samples
            changes.append(zip(result.samples, before).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) })
        }
        #expect(changes[0] == 0 && changes[1] == 0)
        let full = changes[13]
        #expect(full > 0 && changes[9] == full, "eight frames after the change all of it is there: \(changes)")
        for index in 2..<10 {
            let step = changes[index] - changes[index - 1]
            #expect(step > 0 && step < full / 4, "frame \(index): \(changes)")
        }
        #expect(changes[21...23] == [0, 0, 0], "\(changes)")
    }

    @Test func `A dry pool is an answer`() throws {
        let picture = try frame(32, 32, seed: 2)
        let pool = try FramePool(resolution: picture.resolution, capacity: 1)
        var filter = BeautyFilter(.natural)
        let kept = try existing(try filter.apply(to: picture, into: pool))
        let none = try filter.apply(to: picture, into: pool)
        #expect(none == nil && kept.resolution == picture.resolution)
        #expect(filter.statistics.framesFiltered == 1)
    }

    @Test func `The frame's own values stay`() throws {
        var picture = try frame(32, 32, seed: 2)
        picture.captureTime = .zero + .seconds(5)
        picture.colorSpace = .bt709
        picture.rotation = .clockwise90
        picture.isDiscontinuity = true
        picture.timestamps[.captured] = .zero + .seconds(6)
        let result = try apply(.natural, to: picture)
        #expect(
            result.captureTime == picture.captureTime && result.colorSpace == .bt709
                && result.rotation == .clockwise90 && result.isDiscontinuity && result.timestamps == picture.timestamps)
    }

    @Test func `Unsupported frames are refused`() throws {
        let small = try frame(15, 40, seed: 1)
        #expect(throws: BeautyError.unsupportedPicture(format: "i420", width: 15, height: 40)) {
            try apply(.natural, to: small)
        }
    }

    /// Every level of the deadline works on pictures of all sizes, and gives up what it says.
    @Test(arguments: BeautyLevel.allCases)
    func `Each level omits what it documents`(level: BeautyLevel) throws {
        for (width, height) in [(16, 16), (33, 17), (96, 54), (97, 55)] {
            let resolution = Resolution(width: width, height: height)
            let pool = try FramePool(resolution: resolution, capacity: 2)
            let scene = try PortraitScene(
                resolution: resolution, frameRate: 30, settings: PortraitScene.Settings(skinTone: .medium))
            var smoothing = BeautyOptions.off
            smoothing.smoothness = 1
            var filter = BeautyFilter(smoothing)
            var masks: [[UInt8]] = []
            for index in 0..<6 {
                let picture = try existing(scene.draw(frame: 5 * index))
                let result = try existing(try filter.apply(to: picture, into: pool, level: level))
                masks.append(filter.mask ?? [])
                if level == .unsmoothed { #expect(result.samples == picture.samples, "\(resolution)") }
                if level == .full, width > 90 { #expect(result.samples != picture.samples, "\(resolution)") }
            }
            #expect(filter.statistics.framesAtLevel[level.rawValue] == 6 && filter.statistics.level == level)
            guard width > 90 else { continue }
            let changes = (1..<6).filter { masks[$0] != masks[$0 - 1] }
            #expect(changes == (level == .full ? [1, 2, 3, 4, 5] : [3]), "\(resolution)")
        }
    }
}

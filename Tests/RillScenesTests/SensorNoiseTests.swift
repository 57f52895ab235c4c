import RillCore
import Testing

@testable import RillScenes

/// The noise on the frames, as a measuring instrument sees it.
struct SensorNoiseTests {
    private static let size = Resolution(width: 240, height: 180)

    private func scene(noise: Double) throws -> PortraitScene {
        try PortraitScene(resolution: SensorNoiseTests.size, frameRate: 30, settings: .init(noise: noise))
    }

    @Test func `A flat patch shows the deviation of a webcam`() throws {
        let scene = try PortraitScene(resolution: SensorNoiseTests.size, frameRate: 30)
        let wall = scene.landmarks(frame: 0).wall
        for index in 0..<5 {
            let frame = try #require(scene.draw(frame: index))
            let luma = frame.samples(plane: 0, in: wall).deviation
            #expect(luma > 2 && luma < 3, "frame \(index): \(luma)")
            for plane in 1...2 {
                let chroma = frame.samples(plane: plane, in: wall).deviation
                #expect(chroma > 1.2 && chroma < 1.9, "frame \(index), plane \(plane): \(chroma)")
            }
        }
    }

    @Test(arguments: [0, 0.5, 1, 2, 3, 6, 20])
    func `The deviation is the requested one`(deviation: Double) throws {
        let noise = SensorNoise(resolution: SensorNoiseTests.size, luma: deviation, chroma: deviation, seed: 3)
        let field = try added(noise, frame: 0)
        #expect(abs(field[0].deviation - deviation) < 0.03 * deviation + 0.02, "\(field[0].deviation)")
        #expect(abs(field[1].deviation - deviation) < 0.03 * deviation + 0.02, "\(field[1].deviation)")
        #expect(abs(field[0].mean) < 0.02 * deviation + 0.01, "\(field[0].mean)")
    }

    @Test func `Noise is new in each frame and plane and pixel`() throws {
        let noise = SensorNoise(resolution: SensorNoiseTests.size, luma: 2.5, chroma: 1.5, seed: 3)
        let first = try added(noise, frame: 0)
        for index in [1, 2, 3, 1000] {
            let other = try added(noise, frame: index)
            #expect(abs(first[0].correlation(with: other[0])) < 0.02, "frame \(index)")
        }
        #expect(abs(first[1].correlation(with: first[2])) < 0.04)
        let width = SensorNoiseTests.size.width
        for offset in [1, 2, width, width + 1] {
            let shifted = Array(first[0].dropFirst(offset))
            #expect(abs(Array(first[0].dropLast(offset)).correlation(with: shifted)) < 0.02, "\(offset) apart")
        }
    }

    @Test func `The mean of many frames has no fixed pattern`() throws {
        let noise = SensorNoise(resolution: SensorNoiseTests.size, luma: 2.5, chroma: 1.5, seed: 3)
        var sum = [Double](repeating: 0, count: SensorNoiseTests.size.pixelCount)
        for index in 0..<25 {
            for (position, value) in try added(noise, frame: index)[0].enumerated() { sum[position] += value }
        }
        // Independent frames: the deviation falls to a fifth.
        let mean = sum.map { $0 / 25 }
        #expect(abs(mean.deviation - 0.5) < 0.03, "\(mean.deviation)")
    }

    @Test func `Black and white do not wrap`() throws {
        let noise = SensorNoise(resolution: SensorNoiseTests.size, luma: 20, chroma: 20, seed: 3)
        let dark = try added(noise, frame: 0, to: 0)
        let bright = try added(noise, frame: 0, to: 255)
        #expect(dark[0].allSatisfy { $0 < 128 } && dark[0].contains { $0 > 0 })
        #expect(bright[0].allSatisfy { $0 > -128 } && bright[0].contains { $0 < 0 })
    }

    /// What the noise changes on a plain frame, plane by plane.
    private func added(_ noise: SensorNoise, frame index: Int, to level: UInt8 = 128) throws -> [[Double]] {
        let done = try plainFrame(SensorNoiseTests.size, level: level) { noise.add(to: &$0, frame: index) }
        let area = PixelRect(columns: 0..<SensorNoiseTests.size.width, rows: 0..<SensorNoiseTests.size.height)
        return (0..<3).map { plane in done.samples(plane: plane, in: area).map { $0 - Double(level) } }
    }
}

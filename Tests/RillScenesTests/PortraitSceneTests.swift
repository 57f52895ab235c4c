import RillCore
import Testing

@testable import RillScenes

/// What a portrait scene promises as a source of frames.
struct PortraitSceneTests {
    private static let size = Resolution(width: 96, height: 72)

    private func makeScene(
        _ resolution: Resolution = size, seed: UInt64 = 1, frameCount: Int? = nil, capacity: Int = 8
    ) throws -> PortraitScene {
        try PortraitScene(
            resolution: resolution, frameRate: 30, frameCount: frameCount, settings: .init(seed: seed),
            poolCapacity: capacity)
    }

    @Test func `The same seed gives the same bytes, and another seed others`() throws {
        let (one, two, other) = (try makeScene(seed: 7), try makeScene(seed: 7), try makeScene(seed: 8))
        for index in [0, 1, 45, 140] {
            let samples = try #require(one.draw(frame: index)).samples
            #expect(samples == two.draw(frame: index)?.samples, "frame \(index)")
            #expect(samples != other.draw(frame: index)?.samples, "frame \(index)")
        }
    }

    @Test func `A frame is the same, whichever came before`() throws {
        let played = try makeScene()
        let searched = try makeScene()
        for index in 0..<40 {
            guard case .frame(let frame) = played.next() else { return #expect(Bool(false), "ended at \(index)") }
            // 140: talking; 95: eyes shut.
            guard index % 13 == 0 else { continue }
            _ = searched.draw(frame: 140)
            _ = searched.draw(frame: 95)
            #expect(frame.samples == searched.draw(frame: index)?.samples, "frame \(index)")
        }
    }

    /// The arithmetic is sums, products, quotients and square roots of IEEE 754 and whole numbers, without the C
    /// library: these numbers hold on every machine. A change of the drawing changes them; then look at the pictures.
    @Test(arguments: [
        (0, 0x2A2F_8F56_DEE2_8EAD as UInt64), (45, 0x83CA_366D_BB34_0070), (140, 0x984C_6BCD_0637_3948),
    ])
    func `Frames are the same on every machine`(index: Int, checksum: UInt64) throws {
        let scene = try makeScene(.qqvga)
        let found = try #require(scene.draw(frame: index)).checksum
        #expect(found == checksum, "frame \(index): 0x\(String(found, radix: 16))")
    }

    @Test(arguments: [
        (16, 16), (17, 19), (33, 16), (16, 121), (1, 1), (2, 3), (160, 33), (161, 91), (64, 128),
    ])
    func `Any size is filled wholly`(width: Int, height: Int) throws {
        let scene = try makeScene(Resolution(width: width, height: height), capacity: 1)
        for index in [0, 140] {
            // The pool has one buffer: what frame 55 leaves in it must not be seen in the next.
            let first = try #require(scene.draw(frame: index)).samples
            _ = scene.draw(frame: 55)
            let second = try #require(scene.draw(frame: index))
            #expect(second.samples == first, "\(width)x\(height), frame \(index)")
            #expect(second.resolution == Resolution(width: width, height: height))
            // Nothing in the room is black, so no sample was left out.
            #expect(second.samples.min() ?? 0 > 5, "\(width)x\(height), frame \(index)")
        }
    }

    @Test func `Frames have timestamps at the rate`() throws {
        let scene = try PortraitScene(
            resolution: Resolution(width: 16, height: 16), frameRate: FrameRate(30000, per: 1001))
        let expected: [Int64] = [0, 33_366_667, 66_733_333, 100_100_000]
        for nanoseconds in expected {
            guard case .frame(let frame) = scene.next() else { return #expect(Bool(false), "an endless scene ended") }
            #expect(frame.captureTime == MediaTime(nanoseconds: nanoseconds))
            #expect(frame.colorSpace == .bt601)
        }
        // Ten hours later, too.
        #expect(scene.draw(frame: 1_078_920)?.captureTime == MediaTime(nanoseconds: 35_999_964_000_000))
    }

    @Test func `It moves by time, not by frame number`() throws {
        let size = Resolution(width: 32, height: 24)
        let still = PortraitScene.Settings(noise: 0)
        let slow = try PortraitScene(resolution: size, frameRate: 10, settings: still)
        let fast = try PortraitScene(resolution: size, frameRate: 60, settings: still)
        for index in [0, 7, 44] {
            #expect(slow.draw(frame: index)?.samples == fast.draw(frame: 6 * index)?.samples, "at \(index)/10 s")
        }
    }

    @Test func `The clip ends after its frames`() throws {
        let scene = try makeScene(Resolution(width: 16, height: 16), frameCount: 3)
        #expect(scene.format.frameCount == 3)
        for _ in 0..<3 {
            guard case .frame = scene.next() else { return #expect(Bool(false), "ended early") }
        }
        for _ in 0..<2 {
            guard case .end = scene.next() else { return #expect(Bool(false), "went on") }
        }
    }

    @Test func `A dry pool loses no frame`() throws {
        let scene = try makeScene(capacity: 2)
        var held: [VideoFrame] = []
        while case .frame(let frame) = scene.next() { held.append(frame) }
        #expect(held.count == 2)
        guard case .noBuffer = scene.next() else { return #expect(Bool(false), "a frame from an empty pool") }
        #expect(scene.nextFrame == 2)
        held.removeFirst()
        guard case .frame(let third) = scene.next() else {
            return #expect(Bool(false), "no frame after one was let go")
        }
        #expect(third.captureTime == FrameRate(30).time(ofFrame: 2))
        #expect(third.samples == (try makeScene().draw(frame: 2))?.samples)
    }
}

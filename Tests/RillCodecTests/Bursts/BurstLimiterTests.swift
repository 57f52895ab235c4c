import RillCore
import Testing

@testable import RillCodec

struct BurstLimiterTests {
    private static let usual = BurstLimiter.Frame(
        pixelCount: 1280 * 720, bitrate: .kilobits(500), duration: .milliseconds(33))

    private func limiter(_ codec: VideoCodec) throws -> BurstLimiter {
        try #require(BurstLimiter(codec, limit: .milliseconds(120)))
    }

    @Test func `Usual frames are left alone`() throws {
        for codec in [VideoCodec.vp8, .vp9] {
            var limiter = try limiter(codec)
            for _ in 0..<100 {
                #expect(limiter.floor(for: Self.usual) == nil)
                limiter.add(Self.usual, byteCount: 2000, quantizer: 75)
            }
        }
        #expect(BurstLimiter("AV1", limit: .milliseconds(120)) == nil, "its quantizers are unknown")
    }

    @Test func `A picture without reference is coarser the lower the bitrate and the larger the picture`() throws {
        let limiter = try limiter(.vp8)
        func floor(_ kilobits: Int, _ pixelCount: Int) -> Int {
            var frame = Self.usual
            (frame.isIntra, frame.bitrate, frame.pixelCount) = (true, .kilobits(kilobits), pixelCount)
            return limiter.floor(for: frame) ?? 0
        }
        #expect(floor(10_000, 1280 * 720) == 0)
        let byRate = [2500, 1000, 500, 250].map { floor($0, 1280 * 720) }
        #expect(zip(byRate, byRate.dropFirst()).allSatisfy { $0 < $1 || $1 == 127 }, "\(byRate)")
        let bySize = [320 * 180, 640 * 360, 960 * 540, 1280 * 720].map { floor(500, $0) }
        #expect(zip(bySize, bySize.dropFirst()).allSatisfy { $0 < $1 }, "\(bySize)")
    }

    @Test func `It learns the complexity of the clip's pictures`() throws {
        var limiter = try limiter(.vp8)
        var cut = Self.usual
        cut.isIntra = true
        let before = try #require(limiter.floor(for: cut))
        // Twice the bytes that the model expects of 7500 at that quantizer.
        for _ in 0..<6 { limiter.add(cut, byteCount: 15_000, quantizer: before) }
        #expect(try #require(limiter.floor(for: cut)) > before + 10)
        for _ in 0..<30 { limiter.add(cut, byteCount: 2000, quantizer: before) }
        #expect(limiter.floor(for: cut) ?? 0 < before - 10)
    }

    @Test func `A slow layer's key frame may have 1,75 frames`() throws {
        let limiter = try limiter(.vp8)
        var low = BurstLimiter.Frame(
            isIntra: true, pixelCount: 160 * 120, bitrate: .kilobits(45), duration: .milliseconds(200))
        let slow = limiter.floor(for: low) ?? 0
        low.duration = .milliseconds(33)
        #expect(slow < (limiter.floor(for: low) ?? 0) - 20)
    }

    @Test(arguments: [(VideoCodec.vp8, 14, 110), (.vp9, 55, 180)])
    func `There is a floor until a lower target is followed`(codec: VideoCodec, quantizer: Int, least: Int) throws {
        var limiter = try limiter(codec)
        for _ in 0..<30 { limiter.add(Self.usual, byteCount: 10_000, quantizer: quantizer) }
        var lower = Self.usual
        lower.bitrate = .kilobits(100)
        let floor = try #require(limiter.floor(for: lower))
        #expect(floor > least, "a twentieth of the bytes needs a far coarser quantizer than \(floor)")
        var count = 0
        while limiter.floor(for: lower) != nil, count < 100 {
            limiter.add(lower, byteCount: 410, quantizer: floor)
            count += 1
        }
        #expect((5...20).contains(count), "\(count) frames")
    }

    @Test func `A frame's own limit is predicted from the frame before`() throws {
        var limiter = try limiter(.vp8)
        var limited = Self.usual
        limited.byteLimit = 900
        #expect(limiter.floor(for: limited) == nil, "nothing is known yet")
        limiter.add(Self.usual, byteCount: 1850, quantizer: 74)
        // libvpx needed 118 for 766 bytes.
        #expect((112...122).contains(limiter.floor(for: limited) ?? 0), "\(limiter.floor(for: limited) ?? 0)")
        limited.byteLimit = 0
        #expect(limiter.floor(for: limited) == 127)
    }

    @Test func `The floor sinks slowly after a coarse frame`() throws {
        var limiter = try limiter(.vp8)
        limiter.add(Self.usual, byteCount: 1850, quantizer: 74)
        var limited = Self.usual
        limited.byteLimit = 900
        limiter.add(limited, byteCount: 766, quantizer: 118)
        var floors: [Int?] = []
        for _ in 0..<6 {
            floors.append(limiter.floor(for: Self.usual))
            limiter.add(Self.usual, byteCount: 1500, quantizer: floors.last.flatMap(\.self) ?? 74)
        }
        #expect(floors == [96, 85, 79, 76, nil, nil])
    }
}

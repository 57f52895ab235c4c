import Foundation
import RillCore
import RillTestSupport
import Testing

@testable import RillCapture

/// Damaged pictures of a real webcam, as FFmpeg encodes them.
@Suite(
    .enabled(if: clip != nil, "RILL_MEDIA is not set to a folder with the real clips"),
    .enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
struct MotionJPEGClipTests {
    private let folder = TemporaryFolder()

    /// The first hundred pictures, each as a JPEG.
    private func pictures(_ format: String) throws -> [[UInt8]] {
        try Peer.ffmpeg.run(
            "-v", "error", "-i", try #require(clip), "-frames:v", "100", "-pix_fmt", format, "-q:v", "5",
            folder.path("%03d.jpg"))
        return try (1...100).map { number in
            let digits = String(number)
            let name = String(repeating: "0", count: 3 - digits.count) + digits + ".jpg"
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path(name))))
        }
    }

    @Test(arguments: ["yuvj420p", "yuvj422p"])
    func `Of 300 damaged frames none passes, and no good one is refused`(format: String) throws {
        let reader = try existing(JPEGReader(.vga))
        let pool = try FramePool(resolution: .vga, capacity: 1)
        func fault(_ bytes: [UInt8]) throws -> FrameFault? {
            var frame = try existing(pool.makeFrame())
            return reader.read(bytes.span, into: &frame)
        }
        var random = SeededGenerator(seed: 3)
        for (index, good) in try pictures(format).enumerated() {
            #expect(try fault(good) == nil, "good \(index)")
            let start = try existing(JPEGHeader(parsing: good.span)).scanStart
            func place() -> Int { start + Int(random.next() >> 33) % (good.count - 2 - start) }
            #expect(try fault(Array(good.prefix(place()))) != nil, "\(format), cut short: \(index)")
            #expect(try fault(good.prefix(place()) + [0xFF, 0xD9]) != nil, "\(format), cut and ended: \(index)")
            var flipped = good
            for _ in 0..<16 { flipped[place()] ^= 0xFF }
            #expect(try fault(flipped) != nil, "\(format), flipped: \(index)")
        }
    }
}

private let clip = ProcessInfo.processInfo.environment["RILL_MEDIA"].map { $0 + "/webcam_640x480.y4m" }

import Foundation
import RillCore
import RillFiles
import RillTestSupport
import Testing

/// Ranges of uncompressed clips, held against a reading of the whole.
struct ClipRangesTests {
    private let folder = TemporaryFolder()
    private static let count = 7

    /// Seven frames of 6x4, each of one value.
    private func clip(header: String, frameHeader: (Int) -> String) throws -> String {
        var bytes = Array(header.utf8)
        for frame in 0..<Self.count {
            bytes += Array(frameHeader(frame).utf8) + [UInt8](repeating: UInt8(frame * 30), count: 36)
        }
        let path = folder.path("clip")
        try write(bytes, to: path)
        return path
    }

    private func frames(_ source: any FrameSource) throws -> [[Int]] {
        var frames: [[Int]] = []
        while case .frame(let frame) = try source.next() {
            frames.append([Int(frame.captureTime.nanoseconds), Int(frame.samples[0]), Int(frame.samples[35])])
        }
        return frames
    }

    private func check(_ clip: some RangedSource, _ whole: any FrameSource, knowsCount: Bool) throws {
        let all = try frames(whole)
        #expect(all.count == Self.count && clip.format.frameCount == (knowsCount ? Self.count : nil))
        for start in 0...Self.count + 1 {
            for end in start...Self.count + 2 {
                let part = try clip.open(frames: start..<end)
                let wanted = Array(all[(start..<end).clamped(to: 0..<Self.count)])
                if knowsCount { #expect(part.format.frameCount == wanted.count, "\(start)..<\(end)") }
                #expect(try frames(part) == wanted, "\(start)..<\(end)")
            }
            #expect(clip.entry(for: start) == start)
            let time = knowsCount && start < Self.count ? MediaTime(nanoseconds: Int64(all[start][0])) : nil
            #expect(clip.time(ofFrame: start) == time)
        }
    }

    @Test func `Ranges of a Y4M clip are parts of the whole`() throws {
        let path = try clip(header: "YUV4MPEG2 W6 H4 F10:1\n") { _ in "FRAME\n" }
        try check(Y4MClip(path: path), Y4MReader(path: path), knowsCount: true)
    }

    @Test func `Frames with their own parameters are counted`() throws {
        let path = try clip(header: "YUV4MPEG2 W6 H4 F10:1\n") { $0 % 2 == 0 ? "FRAME\n" : "FRAME Ip XA=\($0)\n" }
        try check(Y4MClip(path: path), Y4MReader(path: path), knowsCount: false)
    }

    @Test func `Ranges of a raw clip are parts of the whole`() throws {
        let path = try clip(header: "") { _ in "" }
        let size = Resolution(width: 6, height: 4)
        try check(
            RawVideoClip(path: path, resolution: size, frameRate: 10),
            RawVideoReader(path: path, resolution: size, frameRate: 10), knowsCount: true)
    }

    @Test func `A clip that is cut short fails in the range that holds the cut`() throws {
        let path = try clip(header: "YUV4MPEG2 W6 H4 F10:1\n") { _ in "FRAME\n" }
        let bytes = try read(path)
        try write(Array(bytes.dropLast(10)), to: path)
        let clip = try Y4MClip(path: path)
        #expect(try frames(clip.open(frames: 2..<6)).count == 4)
        #expect(throws: FileError.self) { try frames(clip.open(frames: 5..<7)) }
        #expect(try frames(clip.open(frames: 8..<9)).isEmpty)
    }
}

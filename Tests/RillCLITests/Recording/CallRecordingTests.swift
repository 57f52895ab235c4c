import Foundation
import RillCore
import RillFiles
import RillTestSupport
import Testing

@testable import RillCLI

/// The file that `rill call`, `receive` and `watch` write of what was shown.
@Suite struct CallRecordingTests {
    private let folder = TemporaryFolder()
    private let size = Resolution(width: 64, height: 48)
    private let byteCount = 6 + 64 * 48 * 3 / 2

    /// Records pictures with these timestamps, shown so many seconds after the first. Returns the number in the file.
    private func record(_ frames: [(time: MediaTime, shown: Double)], to path: String) throws -> Int {
        let recording = CallRecording(path: path, name: path)
        let pool = try FramePool(resolution: size, capacity: 4)
        for (time, shown) in frames {
            var frame = try existing(pool.makeFrame()).finish(captureTime: time)
            frame.timestamps[.shown] = .zero + .seconds(shown)
            try recording.consume(frame)
        }
        try recording.finish()
        let count = recording.framesWritten
        let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        #expect(bytes / byteCount == count)
        return count
    }

    @Test func `Gaps of a stream are filled, at 30 pictures a second`() throws {
        let frames = [0.0, 0.2, 0.4, 3.4].map { (time: MediaTime.zero + .seconds(500 + $0), shown: $0) }
        #expect(try record(frames, to: folder.path("gaps.y4m")) == 3 * 30 + 12 + 1)
    }

    /// The input that made 2.5 GB at 640x480: twenty frames in 0.7 s, with timestamps that jump by an hour.
    @Test func `Twenty frames in less than a second are no longer than that, whatever their timestamps`() throws {
        for jump in [MediaDuration.seconds(3600), .seconds(-3600), .seconds(59), .milliseconds(-1)] {
            let frames = (0..<20).map {
                (time: MediaTime.zero + .seconds(1_000_000) + jump * $0, shown: Double($0) * 0.035)
            }
            let count = try record(frames, to: folder.path("jumps.y4m"))
            #expect((20...22).contains(count), "\(count) pictures")
        }
    }

    /// Every browser begins with small pictures.
    @Test func `Pictures that grow are reported, once when they do and once as large as they became`() throws {
        let recording = CallRecording(path: folder.path("grown.y4m"), name: "grown.y4m")
        func show(_ width: Int, at seconds: Double) throws {
            let pool = try FramePool(resolution: Resolution(width: width, height: width * 3 / 4), capacity: 2)
            try recording.consume(try existing(pool.makeFrame()).finish(captureTime: .zero + .seconds(seconds)))
        }
        try show(64, at: 0)
        #expect(recording.takeNotice() == nil && recording.summary == nil)
        try show(32, at: 0.1)
        #expect(recording.takeNotice() == nil)
        try show(128, at: 0.2)
        #expect(
            recording.takeNotice()
                == "the pictures have grown to 128x96: grown.y4m keeps the size of the first, 64x48; .webm, .mkv and "
                + ".ivf keep every size")
        #expect(recording.takeNotice() == nil && recording.summary == nil)
        try show(256, at: 0.3)
        #expect(recording.takeNotice() == nil)
        #expect(recording.summary == "pictures of up to 256x192 were scaled to 64x48, the size of the first")
        try recording.finish()
    }

    @Test func `A full disk is a typed error`() throws {
        let recording = CallRecording(path: "/dev/full", name: "out.y4m")
        let pool = try FramePool(resolution: size, capacity: 4)
        let frame = try existing(pool.makeFrame()).finish(captureTime: .zero)
        #expect(throws: FileError.writeFailed(path: "out.y4m", position: 0, code: ENOSPC)) {
            try recording.consume(frame)
            try recording.consume(frame)
        }
        guard case FileError.writeFailed? = recording.failure else {
            Issue.record("\(String(describing: recording.failure))")
            return
        }
    }
}

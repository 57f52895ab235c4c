import Foundation
import RillContainers
import RillCore
import RillFiles
import RillTestSupport
import Testing

/// WebM and Matroska as we write them, read by FFmpeg.
@Suite(
    .enabled(if: Peer.ffmpeg.isInstalled && Peer.ffprobe.isInstalled, "ffmpeg is not installed"))
struct ContainerWriterTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [VideoCodec.vp8, .vp9], ContainerFormat.allCases)
    func `Every frame is there, at its time`(codec: VideoCodec, format: ContainerFormat) throws {
        let clip = try CodedClip(codec, in: folder)
        let path = folder.path("out.\(format.rawValue)")
        try clip.write(to: ContainerWriter(path: path, format: format, video: clip.video))
        #expect(try FFmpegReport.pictures(path) == FFmpegReport.pictures(clip.path))
        #expect(try FFmpegReport.packets(path, "v") == FFmpegReport.packets(clip.path, "v"))
        let timestamps = try FFmpegReport.rows(path, "packet=pts,flags").map { $0.split(separator: ",") }
        #expect(timestamps.map { $0[0] } == (0..<30).map { "\($0 * 100)" })
        #expect(timestamps.map { $0[1] == "K_" } == clip.frames.map(\.frame.isKey))
        // The last frame is shown for a tenth of a second, too.
        #expect(try FFmpegReport.rows(path, "format=duration,format_name") == ["\"matroska,webm\",3.000000"])
        #expect(
            try FFmpegReport.rows(path, "stream=codec_name,width,height,r_frame_rate")
                == ["\(codec.rawValue.lowercased()),64,48,10/1"])
    }

    /// Frame n at n * n * 10 ms, and the same with times that lie between two ticks of the file's clock.
    @Test(arguments: [0, 400_000, 500_000, 999_999] as [Int64])
    func `Uneven times are kept to the millisecond`(offset: Int64) throws {
        let clip = try CodedClip(.vp8, in: folder)
        let path = folder.path("uneven.webm")
        let times = (0..<30).map { MediaTime(nanoseconds: Int64($0 * $0) * 10_000_000 + offset) }
        var video = clip.video
        video.frameRate = nil
        try clip.write(to: ContainerWriter(path: path, format: .webm, video: video), times: times)
        // The last is shown for as long as the one before it.
        let end = 29 * 29 * 10 + (29 * 29 - 28 * 28) * 10 + (offset >= 500_000 ? 1 : 0)
        #expect(try FFmpegReport.rows(path, "format=duration") == ["\(end / 1000).\(end % 1000)000"])
        let carry = offset >= 500_000 ? 1 : 0
        #expect(try FFmpegReport.rows(path, "packet=pts") == (0..<30).map { "\($0 * $0 * 10 + carry)" })
        let frames = try ShownFrame.all(of: ContainerSource(path: path))
        let first = frames[0].time
        #expect(frames.map { ($0.time - first).nanoseconds } == (0..<30).map { Int64($0 * $0) * 10_000_000 })
    }

    @Test func `Frames closer than the clock's tick stay apart and in order`() throws {
        let clip = try CodedClip(.vp8, in: folder)
        let path = folder.path("dense.webm")
        // Four in a millisecond, then a jump.
        let times = (0..<30).map { MediaTime(nanoseconds: Int64($0) * 250_000 + ($0 >= 10 ? 1_000_000_000 : 0)) }
        try clip.write(to: ContainerWriter(path: path, format: .webm, video: clip.video), times: times)
        let timestamps = try FFmpegReport.rows(path, "packet=pts").compactMap { Int($0) }
        #expect(timestamps == Array(0..<10) + Array(1003..<1023))
        #expect(try FFmpegReport.pictures(path).count == 30)
    }

    @Test(arguments: ContainerFormat.allCases)
    func `The same frames give the same bytes`(format: ContainerFormat) throws {
        let clip = try CodedClip(.vp9, in: folder)
        func bytes(_ name: String) throws -> Data {
            let path = folder.path(name)
            try clip.write(to: ContainerWriter(path: path, format: format, video: clip.video))
            return try Data(contentsOf: URL(fileURLWithPath: path))
        }
        let first = try bytes("first")
        // A date of the file would be of another second.
        Thread.sleep(forTimeInterval: 1.1)
        #expect(try bytes("second") == first)
    }

    @Test(arguments: [
        (ColorSpace.bt601, "tv,smpte170m,unknown,unknown"), (.bt709, "tv,bt709,bt709,bt709"),
        (ColorSpace(matrix: .bt709, range: .full), "pc,bt709,bt709,bt709"),
    ])
    func `The file defines how the numbers are read`(space: ColorSpace, said: String) throws {
        let clip = try CodedClip(.vp8, count: 3, in: folder)
        var video = clip.video
        video.colorSpace = space
        video.pixelAspect = PixelAspect(width: 3, height: 2)
        let path = folder.path("colour.webm")
        try clip.write(to: ContainerWriter(path: path, format: .webm, video: video))
        #expect(
            try FFmpegReport.rows(path, "stream=color_range,color_space,color_transfer,color_primaries").map {
                $0.replacingOccurrences(of: "unspecified", with: "unknown")
            } == [said])
        #expect(try FFmpegReport.rows(path, "stream=sample_aspect_ratio") == ["3:2"])
    }

    @Test func `On a pipe it is a live WebM`() throws {
        let clip = try CodedClip(.vp8, in: folder)
        let path = folder.path("pipe")
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let reader = try #require(Program(named: "cat")).start([path], limit: 60)
        try clip.write(to: ContainerWriter(path: path, format: .webm, video: clip.video))
        let bytes = try reader.wait().output
        let kept = folder.path("kept.webm")
        try write(bytes, to: kept)
        #expect(try FFmpegReport.pictures(kept) == FFmpegReport.pictures(clip.path))
        #expect(try FFmpegReport.rows(kept, "packet=pts") == (0..<30).map { "\($0 * 100)" })
        // No index and no duration, which are only known at the end: the segment's size is left open (eight bytes of
        // ones).
        #expect(positions(of: [0x1C, 0x53, 0xBB, 0x6B], in: bytes).isEmpty)
        #expect(positions(of: [0x18, 0x53, 0x80, 0x67, 0x01, 0xFF, 0xFF, 0xFF, 0xFF], in: bytes).count == 1)
    }

    private func positions(of pattern: [UInt8], in bytes: [UInt8]) -> [Int] {
        bytes.indices.filter { bytes[$0...].starts(with: pattern) }
    }

    @Test func `A full disk is an error with its number, then and ever after`() throws {
        let clip = try CodedClip(.vp8, in: folder)
        var errors: [ContainerError] = []
        do throws(ContainerError) {
            let writer = try ContainerWriter(path: "/dev/full", format: .webm, video: clip.video)
            for _ in 0..<20 {
                for (frame, payload) in clip.frames {
                    do throws(ContainerError) { try writer.consume(frame, payload: payload.span) } catch {
                        errors.append(error)
                    }
                }
            }
            try writer.finish()
        } catch { errors.append(error) }
        guard case .fileFailed(.writeFailed("/dev/full", _, ENOSPC)) = try #require(errors.first) else {
            Issue.record("\(errors)")
            return
        }
        #expect(errors.allSatisfy { $0 == errors[0] })
    }

    @Test func `Unsupported frames are refused by the writer`() throws {
        let clip = try CodedClip(.vp8, count: 2, in: folder)
        let nowhere = folder.path("none/out.webm")
        #expect(throws: ContainerError.fileFailed(.notFound(path: nowhere))) {
            try ContainerWriter(path: nowhere, format: .webm, video: clip.video)
        }
        let path = folder.path("out.webm")
        let writer = try ContainerWriter(
            path: path, format: .webm, video: .init(codec: .vp9, resolution: clip.resolution, frameRate: nil))
        #expect(throws: ContainerError.unexpectedCodec(path: path, expected: .vp9, given: .vp8)) {
            let (frame, payload) = clip.frames[0]
            try writer.consume(frame, payload: payload.span)
        }
    }

    /// 200 frames over 20 s: clusters, and an index of the key frames.
    @Test func `The index names the key frames`() throws {
        let clip = try CodedClip(.vp8, count: 200, in: folder)
        let path = folder.path("long.webm")
        try clip.write(to: ContainerWriter(path: path, format: .webm, video: clip.video))
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        // Cues (0x1C53BB6B) are named by the seek head, and stand at the end.
        #expect(positions(of: [0x1C, 0x53, 0xBB, 0x6B], in: bytes).count == 2)
        // ffmpeg seeks by them: the first picture from 12 s on is frame 120.
        let late = try Peer.ffmpeg.run(
            "-v", "error", "-ss", "12", "-i", path, "-frames:v", "1", "-fps_mode", "passthrough", "-f", "framemd5", "-")
        let pictures = try FFmpegReport.pictures(clip.path)
        #expect(String(decoding: late, as: UTF8.self).contains(pictures[120]))
    }
}

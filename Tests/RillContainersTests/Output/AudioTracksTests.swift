import Foundation
import RillContainers
import RillCore
import RillTestSupport
import Testing

/// Sound that is copied beside our frames, held against the file that it comes from.
@Suite(
    .enabled(if: Peer.ffmpeg.isInstalled && Peer.ffprobe.isInstalled, "ffmpeg is not installed"))
struct AudioTracksTests {
    private let folder = TemporaryFolder()

    /// A clip of three seconds with these tracks of sound.
    private func input(_ name: String, _ sound: [String], more: [String] = []) throws -> String {
        let path = folder.path(name)
        let video = name.hasSuffix("webm") ? ["-c:v", "libvpx"] : ["-c:v", "libx264", "-g", "10"]
        try Peer.ffmpeg.run(
            [
                "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=3", "-f", "lavfi", "-i",
                "sine=duration=3:sample_rate=48000",
            ]
                + ["-map", "0:v"] + sound.flatMap { _ in ["-map", "1:a"] }
                + sound.enumerated().flatMap { ["-c:a:\($0.offset)", $0.element] } + video + more + [
                    "-strict", "-2", path,
                ])
        return path
    }

    /// Our frames beside the sound of `input`.
    private func output(_ name: String, _ format: ContainerFormat, soundOf input: String) throws -> (String, [String]) {
        let clip = try CodedClip(.vp8, in: folder)
        let path = folder.path(name)
        let source = try ContainerSource(path: input)
        let times = try ShownFrame.all(of: source).map(\.time)
        let writer = try ContainerWriter(
            path: path, format: format, video: clip.video, audio: AudioTracks(of: input, for: format))
        try clip.write(to: writer, times: times)
        return (path, writer.notices)
    }

    /// The seconds of each packet of a track that is played: packets outside the edit list are not.
    private func times(_ path: String, _ track: String) throws -> [Double] {
        try FFmpegReport.rows(path, "packet=pts_time,flags", "-select_streams", track).filter { !$0.hasSuffix("D") }
            .compactMap {
                $0.split(separator: ",").first.flatMap { Double($0) }
            }.sorted()
    }

    @Test(arguments: [
        ("a.webm", "libopus", ContainerFormat.webm), ("b.webm", "libvorbis", .webm), ("c.mkv", "libopus", .webm),
        ("d.mp4", "libopus", .webm), ("a.mp4", "aac", .mkv), ("b.mp4", "libmp3lame", .mkv), ("c.mp4", "ac3", .mkv),
        ("a.mkv", "flac", .mkv), ("b.mkv", "libvorbis", .mkv), ("a.mov", "pcm_s16le", .mkv),
    ])
    func `Packets are copied, and stay in sync with their pictures`(
        name: String, codec: String, format: ContainerFormat
    ) throws {
        let input = try input(name, [codec])
        let (path, notices) = try output("out.\(format.rawValue)", format, soundOf: input)
        #expect(notices.isEmpty)
        let copied = try FFmpegReport.packets(path, "a")
        let original = try FFmpegReport.packets(input, "a")
        #expect(copied.count > 20 && copied == Array(original.suffix(copied.count)), "\(name)")
        // As far from the first frame as before: of the same sound, of the same frames.
        for track in ["a", "v"] {
            let (frame, copiedFrame) = (try times(input, "v")[0], try times(path, "v")[0])
            let (before, after) = (try times(input, track), try times(path, track))
            #expect(before.count == after.count)
            let worst = zip(before, after).map { abs(($0 - frame) - ($1 - copiedFrame)) }.max() ?? 0
            #expect(worst < 0.0016, "\(name) \(track): \(frame) \(copiedFrame), \(before[0]) \(after[0])")
        }
    }

    /// Sound that begins late, and a video that begins late, by an edit list.
    @Test(arguments: ["0", "1"])
    func `A track that starts later stays later`(late: String) throws {
        let whole = try input("whole.mp4", ["aac"])
        let path = folder.path("late.mp4")
        let (first, second) = late == "1" ? ("0:v", "1:a") : ("1:v", "0:a")
        try Peer.ffmpeg.run(
            "-v", "error", "-i", whole, "-itsoffset", "0.5", "-i", whole, "-map", first, "-map", second, "-c", "copy",
            path)
        let (result, _) = try output("out.mkv", .mkv, soundOf: path)
        let offset = try times(path, "v").min()! - times(path, "a").min()!
        #expect(abs(offset) > 0.4)
        let copied = try times(result, "v").min()! - times(result, "a").min()!
        #expect(abs(copied - offset) < 0.002)
    }

    @Test func `Tracks that the container does not support are dropped with a note`() throws {
        let input = try input("two.mkv", ["aac", "libopus"])
        let (path, notices) = try output("out.webm", .webm, soundOf: input)
        #expect(notices == ["sound in aac is left out: webm does not take it"])
        #expect(try FFmpegReport.rows(path, "stream=codec_name") == ["vp8", "opus"])
    }

    @Test func `Audio without its parameters is still written, or dropped with a note`() throws {
        let input = try input("a.ts", ["aac"])
        let (path, notices) = try output("out.mkv", .mkv, soundOf: input)
        #expect(notices.isEmpty, "\(notices)")
        // The decoder has its parameters: every packet is sound.
        try Peer.ffmpeg.run("-v", "error", "-xerror", "-i", path, "-map", "0:a", "-f", "null", "-")
        #expect(try FFmpegReport.packets(path, "a").count > 100)
    }

    @Test func `Packets precede the frame that follows them`() throws {
        let input = try input("a.webm", ["libopus", "libvorbis"])
        let (path, _) = try output("out.webm", .webm, soundOf: input)
        let packets = try FFmpegReport.rows(path, "packet=codec_type,pts_time").map { $0.split(separator: ",") }
        var newest = 0.0
        for packet in packets {
            let time = Double(packet[1]) ?? 0
            // Opus counts its delay of 6.5 ms from the time that stands in the file.
            #expect(time > newest - 0.03 || packet[0] == "video", "\(packet) behind \(newest)")
            newest = max(newest, time)
        }
        #expect(packets.count > 200)
    }

    @Test func `The same sound gives the same bytes`() throws {
        let input = try input("a.webm", ["libopus"])
        let first = try output("first.webm", .webm, soundOf: input).0
        let second = try output("second.webm", .webm, soundOf: input).0
        let bytes = try Data(contentsOf: URL(fileURLWithPath: first))
        #expect(try Data(contentsOf: URL(fileURLWithPath: second)) == bytes)
    }
}

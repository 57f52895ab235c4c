import Foundation
import RillContainers
import RillCore
import RillTestSupport
import Testing

/// Transport streams that were joined end to end, whose clocks restart: one clip, picture and sound.
@Suite(.enabled(if: Peer.ffmpeg.isInstalled && Peer.ffprobe.isInstalled, "ffmpeg is not installed"))
struct JoinedClipTests {
    private let folder = TemporaryFolder()

    /// Two seconds with sound, whose clock begins at `offset`.
    private func part(_ name: String, at offset: Int, bFrames: Int = 2) throws -> Data {
        let path = folder.path(name)
        try Peer.ffmpeg.run(
            "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=2", "-f", "lavfi", "-i",
            "sine=duration=2:sample_rate=48000", "-map", "0:v", "-map", "1:a", "-c:v", "libx264", "-g", "10", "-bf",
            "\(bFrames)", "-c:a", "mp2", "-output_ts_offset", "\(offset)", path)
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    private func join(_ parts: Data...) throws -> String {
        let path = folder.path("joined.ts")
        try Data(parts.joined()).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// The second part begins at the same time, an earlier one, a later one, and where 33 bits are at their end.
    @Test(arguments: [(0, 0), (700, 3), (3, 700), (95_441, 300)])
    func `Pictures follow each other as in each part, and so does the sound`(first: Int, second: Int) throws {
        let path = try join(part("a.ts", at: first), part("b.ts", at: second))
        let source = try ContainerSource(path: path)
        let frames = try ShownFrame.all(of: source)
        #expect(frames.count == 100 && source.missingDuration == nil)
        let steps = zip(frames, frames.dropFirst()).map { ($1.time - $0.time).seconds }
        // Between the parts a track that is a little longer decides.
        #expect(steps.enumerated().allSatisfy { abs($1 - 0.04) < ($0 == 49 ? 0.05 : 0.001) }, "\(steps)")
        #expect(try ContainerSource.typicalFrameRate(ofFile: path) == 25)

        let clip = try ContainerClip(path: path)
        #expect(clip.inexactness == nil && clip.format.frameCount == 100)
        let middle = clip.entry(for: 75)
        #expect(middle > 50)
        for range in [0..<middle, middle..<100] {
            let part = try #require(clip.open(frames: range, capacity: 8) as? ContainerSource)
            #expect(try ShownFrame.all(of: part) == Array(frames[range]))
        }

        // The copied sound stays beside the pictures.
        let coded = try CodedClip(.vp8, count: 100, in: folder)
        let output = folder.path("out.mkv")
        let writer = try ContainerWriter(
            path: output, format: .mkv, video: coded.video, audio: AudioTracks(of: path, for: .mkv))
        try coded.write(to: writer, times: frames.map(\.time))
        let sound = try FFmpegReport.rows(output, "packet=pts_time", "-select_streams", "a").compactMap {
            $0.split(separator: ",").first.flatMap { Double($0) }
        }
        // 1152 samples each.
        #expect(sound.count == 168, "\(sound.count)")
        let pauses = zip(sound, sound.dropFirst()).map { $1 - $0 }
        #expect(pauses.enumerated().allSatisfy { abs($1 - 0.024) < ($0 == 83 ? 0.03 : 0.0011) }, "\(pauses)")
        let (pictureShift, soundShift) = ((frames[50].time - frames[0].time).seconds, sound[84] - sound[0])
        #expect(abs(pictureShift - soundShift) < 0.002, "\(pictureShift) \(soundShift)")
    }

    @Test func `Nine seconds without anything are a pause, eleven another clip`() throws {
        for (pause, expected) in [(9, 9.0), (11, 0.0)] {
            let path = try join(part("a.ts", at: 10), part("b.ts", at: 12 + pause))
            let frames = try ShownFrame.all(of: try ContainerSource(path: path))
            let step = (frames[50].time - frames[49].time).seconds
            #expect(frames.count == 100 && abs(step - 0.04 - expected) < 0.05, "\(step)")
        }
    }
}

import Foundation
import RillCore
import RillTestSupport
import Testing

@testable import RillContainers

/// Ranges of a file's frames, held against a reading of the whole: the same pictures at the same times.
@Suite(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
struct ContainerClipTests {
    private let folder = TemporaryFolder()

    /// How a file of 40 frames is made, and in how many places it can be entered at least.
    struct Case: CustomTestStringConvertible {
        var name: String
        var options: [String]
        var leastEntries: Int
        var isCounted = false
        var testDescription: String { name + " " + options.joined(separator: " ") }
    }

    static let cases: [Case] = [
        Case(name: "a.mp4", options: ["-c:v", "libx264", "-g", "8", "-bf", "3"], leastEntries: 5),
        Case(
            name: "open.mp4",
            options: ["-c:v", "libx264", "-g", "8", "-bf", "3", "-x264-params", "open-gop=1:b-pyramid=2"],
            leastEntries: 1),
        Case(
            name: "refresh.mkv", options: ["-c:v", "libx264", "-g", "8", "-x264-params", "intra-refresh=1"],
            leastEntries: 1),
        Case(
            name: "a.mkv", options: ["-c:v", "libx264", "-g", "8", "-bf", "3", "-pix_fmt", "yuv422p10le"],
            leastEntries: 5),
        Case(name: "a.ts", options: ["-c:v", "libx264", "-g", "8", "-bf", "2"], leastEntries: 5),
        Case(
            name: "open.ts", options: ["-c:v", "libx264", "-g", "8", "-bf", "2", "-x264-params", "open-gop=1"],
            leastEntries: 1),
        Case(
            name: "a.mov", options: ["-c:v", "libx265", "-g", "8", "-x265-params", "log-level=none:open-gop=0"],
            leastEntries: 5),
        Case(
            name: "open.mkv", options: ["-c:v", "libx265", "-g", "8", "-x265-params", "log-level=none:open-gop=1"],
            leastEntries: 1),
        Case(
            name: "hevc.ts", options: ["-c:v", "libx265", "-g", "8", "-x265-params", "log-level=none:open-gop=0"],
            leastEntries: 5),
        Case(
            name: "a.webm",
            options: ["-c:v", "libvpx", "-g", "8", "-auto-alt-ref", "1", "-lag-in-frames", "6", "-b:v", "200k"],
            leastEntries: 5),
        Case(
            name: "b.webm",
            options: [
                "-c:v", "libvpx-vp9", "-g", "8", "-auto-alt-ref", "1", "-lag-in-frames", "6", "-row-mt", "0",
                "-cpu-used", "5",
            ],
            leastEntries: 5),
        Case(
            name: "c.webm", options: ["-c:v", "libvpx-vp9", "-g", "8", "-pix_fmt", "yuv444p12le", "-cpu-used", "5"],
            leastEntries: 5),
        Case(name: "d.webm", options: ["-c:v", "libaom-av1", "-g", "8", "-cpu-used", "8"], leastEntries: 4),
        Case(name: "b.ts", options: ["-c:v", "mpeg2video", "-g", "8", "-bf", "2"], leastEntries: 1),
        Case(
            name: "c.ts",
            options: ["-c:v", "mpeg2video", "-g", "8", "-bf", "2", "-flags", "+cgop", "-sc_threshold", "1000000000"],
            leastEntries: 5),
        Case(name: "d.ts", options: ["-c:v", "mpeg2video", "-g", "8"], leastEntries: 5),
        Case(
            name: "a.mpg", options: ["-c:v", "mpeg1video", "-g", "8", "-r", "25", "-frames:v", "40"], leastEntries: 1,
            isCounted: true),
        Case(name: "a.avi", options: ["-c:v", "mpeg4", "-g", "8", "-bf", "2"], leastEntries: 1, isCounted: true),
        Case(name: "b.avi", options: ["-c:v", "mjpeg"], leastEntries: 40),
        Case(name: "c.avi", options: ["-c:v", "libx264", "-g", "8", "-bf", "2"], leastEntries: 1, isCounted: true),
        Case(name: "d.avi", options: ["-c:v", "rawvideo", "-pix_fmt", "bgr24"], leastEntries: 40),
        Case(name: "b.mp4", options: ["-c:v", "mpeg4", "-g", "8", "-bf", "2"], leastEntries: 1),
        Case(name: "b.mov", options: ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"], leastEntries: 40),
        Case(name: "c.mov", options: ["-c:v", "prores_ks"], leastEntries: 40),
        Case(name: "d.mov", options: ["-c:v", "png"], leastEntries: 40),
        Case(name: "b.mkv", options: ["-c:v", "ffv1", "-g", "8"], leastEntries: 1),
        Case(name: "a.gif", options: [], leastEntries: 1),
        Case(name: "a.apng", options: ["-f", "apng"], leastEntries: 1),
        Case(name: "a.flv", options: ["-c:v", "flv1", "-g", "8"], leastEntries: 1),
        Case(
            name: "uneven.mp4",
            options: [
                "-vf", "settb=1/1000,setpts=N*N*10", "-fps_mode", "passthrough", "-enc_time_base", "1:1000", "-c:v",
                "libx264", "-g", "8", "-bf", "2",
            ], leastEntries: 5),
    ]

    private func make(_ sample: Case) throws -> String {
        let path = folder.path(sample.name)
        try Peer.ffmpeg.run(
            [
                "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=4", "-f", "lavfi", "-i",
                "sine=duration=4",
            ]
                + (sample.name.hasSuffix("mp4") || sample.name.hasSuffix("mkv") || sample.name.hasSuffix("ts")
                    ? ["-map", "0:v", "-map", "1:a", "-c:a", "aac"] : ["-map", "0:v"])
                + sample.options + ["-bitexact", path])
        return path
    }

    @Test(arguments: cases)
    func `A range has the same frames as reading from the start`(sample: Case) throws {
        let path = try make(sample)
        let source = try ContainerSource(path: path)
        let whole = try ShownFrame.all(of: source)
        #expect(source.restartCount == 0, "a whole file is not read twice")
        let clip = try ContainerClip(path: path)
        #expect((clip.inexactness != nil) == sample.isCounted, "\(clip.inexactness ?? "")")
        if !sample.isCounted { #expect(clip.format.frameCount == whole.count) }
        for start in 0..<whole.count {
            let frames = start..<start + 3
            let reading = try clip.open(frames: frames)
            let part = try ShownFrame.all(of: reading)
            #expect((reading as? ContainerSource)?.restartCount == 0, "\(sample.name), from \(start)")
            #expect(part == Array(whole[frames.clamped(to: 0..<whole.count)]), "\(sample.name), from \(start)")
            #expect(clip.entry(for: start) <= start)
            if !sample.isCounted { #expect(clip.time(ofFrame: start) == whole[start].time) }
        }
        let entries = Set((0..<whole.count).map(clip.entry))
        #expect(entries.count >= sample.leastEntries, "\(sample.name): \(entries.sorted())")
        // There are no frames behind the end, and an empty range has none.
        #expect(try ShownFrame.all(of: clip.open(frames: whole.count..<whole.count + 5)).isEmpty)
        #expect(try ShownFrame.all(of: clip.open(frames: 7..<7)).isEmpty)
    }

    /// Frames before an edit list's start are decoded and not shown; a recording of a broadcast starts in the middle
    /// of a GOP.
    @Test(arguments: ["edited.mp4", "joined.ts"])
    func `A clip that was cut without reencoding is read in ranges`(name: String) throws {
        let whole = try make(
            Case(name: "whole-" + name, options: ["-c:v", "libx264", "-g", "8", "-bf", "3"], leastEntries: 1))
        let path = folder.path(name)
        if name.hasSuffix("mp4") {
            try Peer.ffmpeg.run("-v", "error", "-ss", "1.15", "-i", whole, "-c", "copy", path)
        } else {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
            try bytes.dropFirst(188 * (bytes.count / 188 / 3)).write(to: URL(fileURLWithPath: path))
        }
        let frames = try ShownFrame.all(of: ContainerSource(path: path))
        let clip = try ContainerClip(path: path)
        #expect(frames.count > 10 && clip.entry(for: 30) > 8, "\(frames.count), \(clip.inexactness ?? "")")
        var joined: [ShownFrame] = []
        for start in stride(from: 0, to: 40, by: 3) {
            joined += try ShownFrame.all(of: try clip.open(frames: start..<start + 3))
        }
        #expect(joined == frames)
    }

    /// Only damage that a decoder notices differs from start to start, and then the beginning is gone back to.
    @Test(arguments: ["a.mp4", "a.ts", "a.webm", "b.webm", "b.mov", "d.ts", "a.mov"])
    func `The ranges of a damaged clip are the damaged clip`(name: String) throws {
        let sample = try #require(Self.cases.first { $0.name == name })
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: make(sample))))
        let path = folder.path("damaged-" + name)
        var (opened, beyondMiddle) = (0, 0)
        for input in MutatedInputs(of: [bytes], count: 25, using: SeededGenerator(seed: 8)) {
            try Data(input).write(to: URL(fileURLWithPath: path))
            guard let clip = try? ContainerClip(path: path) else { continue }  // what cannot be opened has no ranges
            opened += 1
            let whole = try framesUntilFailure(ContainerSource(path: path))
            var joined: [ShownFrame] = []
            for range in [0..<13, 13..<14, 14..<30, 30..<Int.max] {
                joined += try framesUntilFailure(clip.open(frames: range))
            }
            beyondMiddle += clip.entry(for: 30) > 0 ? 1 : 0
            #expect(joined == whole, "\(name), input \(opened)")
            let again = try framesUntilFailure(ContainerSource(path: path, threadCount: 1))
            #expect(again == whole, "\(name), input \(opened), with one thread")
        }
        #expect(opened > 4 && beyondMiddle > 2, "\(opened) opened, \(beyondMiddle) of them with entries")
    }

    private func framesUntilFailure(_ source: any FrameSource) throws -> [ShownFrame] {
        var frames: [ShownFrame] = []
        do {
            while case .frame(let frame) = try source.next() { frames.append(ShownFrame(frame)) }
        } catch is ContainerError {}  // what was there before is what is compared
        return frames
    }
}

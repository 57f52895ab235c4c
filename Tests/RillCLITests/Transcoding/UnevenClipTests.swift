import ArgumentParser
import Rill
import RillCodec
import RillContainers
import RillCore
import RillFiles
import RillLab
import RillTestSupport
import RillTranscode
import Testing

@testable import RillCLI

/// Clips whose pictures do not come evenly: every one of them is written, in its order and at its own time.
struct UnevenClipTests {
    private let folder = TemporaryFolder()

    /// When the pictures of a clip stand.
    struct Spacing: CustomTestStringConvertible {
        var name: String
        /// In seconds.
        var times: [Double]
        /// Ticks a second that they are rounded to.
        var clock = 90_000
        /// What a file of one rate says.
        var rate: FrameRate
        var testDescription: String { name }

        var ticks: [Int64] { times.map { Int64(($0 * Double(clock)).rounded()) } }
    }

    private static let count = 40
    private static let size = Resolution(width: 32, height: 32)

    private static func even(_ rate: Double, _ indices: some Sequence<Int> = 0..<count) -> [Double] {
        indices.map { Double($0) / rate }
    }

    static let spacings: [Spacing] =
        [
            Spacing(name: "a gap first", times: even(30, [0] + Array(5..<44)), rate: 30),
            Spacing(name: "gaps", times: even(30, (0..<60).filter { $0 % 3 != 1 || $0 < 30 }.prefix(count)), rate: 30),
            Spacing(name: "2 ms first", times: [0, 0.002] + even(30, 1..<39), rate: 30),
            Spacing(name: "5 ms first", times: [0, 0.005] + even(30, 1..<39), rate: 30),
            Spacing(name: "15, then 60", times: even(15, 0..<12) + even(60, 48..<76), clock: 1000, rate: 60),
            Spacing(name: "500 a second", times: even(500), rate: 500),
        ]
        + [15, 24, 25, 60].map { Spacing(name: "\($0), ms", times: even(Double($0)), clock: 1000, rate: FrameRate($0)) }
        + [24, 30].map { rate in
            let exact = FrameRate(rate * 1000, per: 1001)
            return Spacing(name: "\(exact), ms", times: even(exact.framesPerSecond), clock: 1000, rate: exact)
        }
        // Two thirds of a second in milliseconds do not tell it from 60.
        + [Spacing(name: "60000/1001, ms", times: even(60 / 1.001), clock: 1000, rate: 60)]

    /// Coded frames, all different.
    private static func frames(_ codec: VideoCodec) throws -> [[UInt8]] {
        try (codec == .vp8 ? vp8 : vp9).get()
    }

    private static let vp8 = Result { try encoded(.vp8) }
    private static let vp9 = Result { try encoded(.vp9) }

    private static func encoded(_ codec: VideoCodec) throws -> [[UInt8]] {
        let pictures = try TestPictures(size, capacity: 2)
        let layer = LayerSettings.high(pictures.resolution, bitrate: .kilobits(300), codec: codec)
        let encoder = try SimulcastEncoder(layers: [layer])
        var frames: [[UInt8]] = []
        for index in 0..<count { try encoder.encode(pictures.picture(index)) { frames.append($1.array) } }
        return frames
    }

    /// An IVF file of these times.
    private func ivf(_ spacing: Spacing, _ codec: VideoCodec) throws -> String {
        let path = folder.path("clip.ivf")
        let writer = try IVFWriter(
            path: path, codec: codec, resolution: Self.size,
            timeBase: .init(1, UInt32(spacing.clock)))
        for (frame, ticks) in zip(try Self.frames(codec), spacing.ticks) { try writer.write(frame.span, at: ticks) }
        try writer.finish()
        return path
    }

    private func transcode(_ words: String...) throws -> TranscodeSummary {
        let line = try JobLine.parse(words)
        return try TranscodeJob(input: line.input, output: line.output, files: line.files, options: line.options).run()
            .summary
    }

    /// The times of all pictures of a file, and what they show.
    private func pictures(_ path: String) throws -> (times: [MediaTime], samples: [[UInt8]]) {
        let source = try open(path)
        var (times, samples): ([MediaTime], [[UInt8]]) = ([], [])
        while case .frame(let frame) = try source.next() {
            times.append(frame.captureTime)
            samples.append(frame.samples)
        }
        return (times, samples)
    }

    private func open(_ path: String) throws -> any FrameSource {
        VideoFileFormat(path: path) == nil ? try ContainerSource(path: path, threadCount: 1) : try Clip.open(path)
    }

    private func times(_ path: String) throws -> [MediaTime] {
        let source = try open(path)
        var times: [MediaTime] = []
        while case .frame(let frame) = try source.next() { times.append(frame.captureTime) }
        return times
    }

    /// Whether times are the same within a millisecond, counted from the first.
    private func areSame(_ times: [MediaTime], _ others: [MediaTime], within limit: MediaDuration) -> Bool {
        guard times.count == others.count, let first = times.first, let other = others.first else { return false }
        return zip(times, others).allSatisfy { time, wanted in
            abs(((time - first) - (wanted - other)).nanoseconds) <= limit.nanoseconds
        }
    }

    @Test(arguments: spacings, VideoCodec.allCases)
    func `Every frame is written at its time`(spacing: Spacing, codec: VideoCodec) throws {
        let clip = try ivf(spacing, codec)
        let original = try pictures(clip)
        try #require(original.times.count == Self.count)
        for name in codec == .vp8 ? ["out.ivf"] : ["out.ivf", "out.webm"] {
            let (out, all) = (folder.path(name), folder.path("all.y4m"))
            let summary = try transcode(clip, out, "--pictures", all)
            #expect(summary.outputs.map(\.frames) == [Self.count, Self.count])
            // A tick of 90 kHz; a millisecond of WebM, whose own beginning is rounded too.
            let limit: MediaDuration = name == "out.ivf" ? .microseconds(12) : .milliseconds(1)
            #expect(areSame(try times(out), original.times, within: limit), "\(name)")
            #expect(try Y4MReader(path: all).header.frameRate == spacing.rate)
            #expect(try pictures(all).samples == original.samples, "every picture in its order")
        }
    }

    /// Two clips end to end in one file, as programs join them that know nothing of timestamps; and a counter of 32
    /// bits that wraps.
    static let joined: [(ticks: [Int64], clock: UInt32)] = [
        ((0..<40).map { Int64($0 % 20) }, 30),
        ((0..<40).map { (4_294_907_296 + Int64($0) * 3000) % (1 << 32) }, 90_000),
    ]

    @Test(arguments: joined)
    func `If timestamps reset, the clip continues`(ticks: [Int64], clock: UInt32) throws {
        let path = folder.path("joined.ivf")
        let writer = try IVFWriter(path: path, codec: .vp8, resolution: Self.size, timeBase: .init(1, clock))
        for (frame, tick) in zip(try Self.frames(.vp8), ticks) { try writer.write(frame.span, at: tick) }
        try writer.finish()
        let even = Self.even(30).map { MediaTime.zero + .seconds($0) }
        for name in ["out.ivf", "out.webm"] {
            let summary = try transcode(path, folder.path(name))
            #expect(summary.outputs.map(\.frames) == [Self.count])
            #expect(areSame(try times(folder.path(name)), even, within: .milliseconds(1)), "\(name)")
        }
        let inspection = try FileInspection(of: path)
        #expect(abs(inspection.streams[0].duration - 40.0 / 30) < 0.001)
    }

    /// As a camera's clip comes that dropped frames: the container names another rate than its pictures have.
    @Test(arguments: [(.webm, .vp9, "1"), (.mkv, .vp8, "3")] as [(ContainerFormat, VideoCodec, String)])
    func `So is that of a container`(format: ContainerFormat, codec: VideoCodec, segments: String) throws {
        for spacing in Self.spacings where spacing.rate.framesPerSecond <= 60 {
            let clip = folder.path("clip.\(format.rawValue)")
            let writer = try ContainerWriter(
                path: clip, format: format, video: .init(codec: codec, resolution: Self.size, frameRate: 10))
            for (index, (payload, time)) in zip(try Self.frames(codec), spacing.times).enumerated() {
                let frame = EncodedFrame(
                    codec: codec, layer: StreamLayer(rid: .high), number: Int64(index),
                    references: FrameReferences(), isKey: index == 0, resolution: Self.size,
                    captureTime: .zero + .seconds(time), byteCount: payload.count)
                try writer.consume(frame, payload: payload.span)
            }
            try writer.finish()
            let original = try pictures(clip)
            let (out, all) = (folder.path("out.ivf"), folder.path("all.y4m"))
            let summary = try transcode(clip, out, "--pictures", all, "--segments", segments)
            #expect(summary.outputs.map(\.frames) == [Self.count, Self.count], "\(spacing.name)")
            #expect(areSame(try times(out), original.times, within: .microseconds(12)), "\(spacing.name)")
            #expect(try Y4MReader(path: all).header.frameRate == spacing.rate, "\(spacing.name)")
            #expect(try pictures(all).samples == original.samples, "\(spacing.name)")
        }
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"), arguments: ["mp4", "mov", "mkv", "ts"])
    func `So is that of FFmpeg's making`(container: String) throws {
        let clip = folder.path("clip.\(container)")
        // Twelve pictures at 15 a second, and 28 at 60.
        try Peer.ffmpeg.run(
            "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=32x32:rate=60", "-vf",
            "settb=1/90000,setpts='if(lt(N,12),N*6000,54000+N*1500)'", "-fps_mode", "passthrough", "-enc_time_base",
            "1:90000", "-frames:v", "\(Self.count)", "-c:v", container == "mp4" ? "libvpx-vp9" : "libx264", "-pix_fmt",
            "yuv420p", clip)
        let original = try pictures(clip)
        #expect(original.times.count == Self.count)
        let (out, all) = (folder.path("out.webm"), folder.path("all.y4m"))
        let summary = try transcode(clip, out, "--pictures", all)
        #expect(summary.outputs.map(\.frames) == [Self.count, Self.count])
        #expect(areSame(try times(out), original.times, within: .milliseconds(1)))
        #expect(try Y4MReader(path: all).header.frameRate == 60)
        #expect(try pictures(all).samples == original.samples)
    }

    /// A rate that is asked for thins out, and has a limit.
    @Test func `An asked rate is a maximum`() throws {
        let clip = try ivf(Self.spacings[0], .vp8)
        let summary = try transcode(clip, folder.path("out.ivf"), "--fps", "10", "--low", folder.path("low.ivf"))
        // From 0 to 43/30 s.
        #expect(summary.outputs.map(\.frames) == [15, 8])
        #expect {
            try transcode(clip, folder.path("fast.ivf"), "--fps", "241")
        } throws: {
            JobLine.reason(for: $0).contains("the frame rate goes up to 240, not 241")
        }
    }
}

import Glibc
import RillCore
import RillFiles
import RillScenes
import RillTestSupport
import Testing

@testable import Rill

/// A clip for acceptance targets: the same pictures for us and, as a Y4M file, for libvpx's own tools.
struct AcceptanceClip: Sendable, CustomTestStringConvertible {
    var resolution: Resolution
    /// The target of the high layer.
    var bitrate: Bitrate
    /// How many of its frames are used.
    var frameCount: Int
    private var content: Content

    private enum Content: Sendable {
        case portrait
        case file(String)
    }

    var testDescription: String { "\(name), \(resolution), \(bitrate), \(frameCount) frames" }

    private var name: String {
        switch content {
        case .portrait: "portrait"
        case .file(let name): name
        }
    }

    /// The drawn scene, small unless the tests may take minutes; larger than the pictures that a receiver smooths
    /// (`PostProcessing.smallPictures`), which vpxdec does not.
    static let portrait =
        isLongRun
        ? AcceptanceClip(resolution: .vga, bitrate: .kilobits(800), frameCount: 450, content: .portrait)
        : AcceptanceClip(
            resolution: Resolution(width: 352, height: 288), bitrate: .kilobits(300), frameCount: 60,
            content: .portrait)

    /// The real clips, 15 s of them where the tests may take minutes.
    static let webcams = [
        AcceptanceClip(
            resolution: .vga, bitrate: .kilobits(800), frameCount: isLongRun ? 448 : 120,
            content: .file("webcam_640x480.y4m")),
        AcceptanceClip(
            resolution: .hd720, bitrate: .kilobits(1500), frameCount: isLongRun ? 448 : 60,
            content: .file("webcam_1280x720.y4m")),
    ]

    /// The same clip with another target of the high layer.
    func at(_ bitrate: Bitrate) -> AcceptanceClip {
        var clip = self
        clip.bitrate = bitrate
        return clip
    }

    /// The same clip, all of it.
    var whole: AcceptanceClip {
        var clip = self
        clip.frameCount = 448
        return clip
    }

    /// The clip as a file, which is made in `folder` where there is none; it may hold more frames than are used.
    func path(in folder: TemporaryFolder) throws -> String {
        switch content {
        case .file(let name):
            return "\(mediaFolder ?? "")/\(name)"
        case .portrait:
            let path = folder.path("portrait.y4m")
            let writer = try Y4MWriter(path: path, resolution: resolution, frameRate: 30)
            for frame in try Self.portraitFrames.get() { try writer.consume(frame) }
            try writer.finish()
            return path
        }
    }

    /// All frames that are used, in memory.
    func frames() throws -> [VideoFrame] {
        switch content {
        case .portrait:
            return try Self.portraitFrames.get()
        case .file(let name):
            let reader = try Y4MReader(path: "\(mediaFolder ?? "")/\(name)", capacity: frameCount)
            return try (0..<frameCount).map { _ in
                guard case .frame(let frame) = try reader.next() else { throw TestFailure("\(name) is too short") }
                return frame
            }
        }
    }

    /// Drawn once for all tests.
    private static let portraitFrames = Result {
        let clip = portrait
        let scene = try PortraitScene(
            resolution: clip.resolution, frameRate: 30, frameCount: clip.frameCount, poolCapacity: clip.frameCount)
        var frames: [VideoFrame] = []
        while case .frame(let frame) = scene.next() { frames.append(frame) }
        return frames
    }
}

/// The folder with the real clips, which are not part of the repository.
let mediaFolder = unsafe getenv("RILL_MEDIA").map { unsafe String(cString: $0) }

extension Trait where Self == ConditionTrait {
    /// Skips a test where the real clips are not at hand.
    static var needsMedia: Self {
        .enabled(if: mediaFolder != nil, "RILL_MEDIA is not set to a folder with the real clips")
    }

    /// Skips a test where libvpx's own tools are not installed.
    static var needsVPXTools: Self {
        .enabled(if: Peer.vpxenc.isInstalled && Peer.vpxdec.isInstalled, "vpxenc and vpxdec are not installed")
    }

    /// Skips a test that takes minutes unless those are asked for.
    static var needsMinutes: Self { .enabled(if: isLongRun, "RILL_LONG_TESTS is not set") }
}

/// The first frames of a source.
final class FirstFrames: FrameSource {
    private let source: any FrameSource
    private var left: Int

    init(_ count: Int, of source: any FrameSource) {
        self.source = source
        self.left = count
    }

    var format: SourceFormat { source.format }

    func next() throws -> SourceOutput {
        guard left > 0 else { return .end }
        let output = try source.next()
        if case .frame = output { left -= 1 }
        return output
    }
}

/// Frames held in memory, played alternately forwards and backwards, so that there is no cut where they restart.
final class SwingingFrames: FrameSource {
    let format: SourceFormat
    private let frames: [VideoFrame]
    private var count = 0

    init(_ frames: [VideoFrame], frameCount: Int) {
        self.frames = frames
        self.format = SourceFormat(resolution: frames[0].resolution, frameRate: 30, frameCount: frameCount)
    }

    func next() -> SourceOutput {
        guard let total = format.frameCount, count < total else { return .end }
        let place = count % (2 * frames.count - 2)
        var frame = frames[place < frames.count ? place : 2 * frames.count - 2 - place]
        frame.captureTime = FrameRate(30).time(ofFrame: count)
        count += 1
        return .frame(frame)
    }
}

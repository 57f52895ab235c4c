import Rill
import RillCore
import RillFiles

/// The clip that all contestants work on, in the forms that they read.
struct BenchClip {
    /// What it is, in words.
    var name: String
    var resolution: Resolution
    var frameCount: Int
    /// Y4M, 30 frames a second.
    var y4m: String
    /// The samples alone: GStreamer 1.22's y4mdec gives up on 1280x720.
    var samples: String
    /// The high layer's bitrate.
    var bitrate: Bitrate

    /// All clips are played at that rate.
    static let framesPerSecond = 30
    /// Of both layers in all jobs; the low one is 160x120 at 5 frames a second.
    static let lowBitrate = LayerSettings.low.bitrate

    /// What libvpx's VP8 is told of its speed for pictures of a size, here and by Rill's own encoder.
    static func speed(_ resolution: Resolution) -> Int { resolution.pixelCount >= 352 * 288 ? -6 : -4 }

    /// Writes the first `frameLimit` pictures of a source.
    init(
        _ source: any FrameSource, name: String, frameLimit: Int, bitrate: Bitrate?, in folder: BenchFolder,
        progress: (Int) throws -> Void
    ) throws {
        let resolution = source.format.resolution
        guard resolution.width % 2 == 0, resolution.height % 2 == 0, resolution.width >= 160, resolution.height >= 120
        else {
            throw CommandError(
                "\(name) is \(resolution): all contestants take even sizes from 160x120 on; `rill transcode --size` "
                    + "makes one")
        }
        self.name = name
        self.resolution = resolution
        self.bitrate = bitrate ?? .suggested(for: resolution)
        if bitrate != nil {
            try LayerSettings.high(resolution, bitrate: self.bitrate).requireReachable("--bitrate", at: 30)
        }
        y4m = folder.path("clip.y4m")
        samples = folder.path("clip.yuv")
        let clip = try Y4MWriter(path: y4m, resolution: resolution, frameRate: 30)
        let planes = try RawVideoWriter(path: samples, resolution: resolution)
        frameCount = 0
        reading: while frameCount < frameLimit {
            switch try source.next() {
            case .frame(let frame):
                try clip.consume(frame)
                try planes.consume(frame)
                frameCount += 1
                try progress(frameCount)
            case .end: break reading
            case .noBuffer, .pending: throw CommandError("\(name) cannot be read on end")
            }
        }
        try clip.finish()
        try planes.finish()
        guard frameCount >= 6 else { throw CommandError("\(name) has \(frameCount) frames: at least 6 are needed") }
    }

    /// Frames of the low layer: the first, and every sixth after it.
    var lowFrameCount: Int { (frameCount + 5) / 6 }
}

import Arguments
import Clips
import Rill
import RillCodec
import RillFiles
import RillImage
import Scenes

/// The source of a trial's pictures, which can be read from the start any number of times.
enum Pictures {
    /// The drawn portrait.
    case portrait
    /// A clip kept in memory.
    case clip([VideoFrame])

    /// A clip of 640x480 at 30 frames per second, or `nil` for the portrait.
    init(clip path: String?) throws {
        guard let path else {
            self = .portrait
            return
        }
        let length = try Y4MReader(path: path).format.frameCount ?? 0
        let clip = try Y4MReader(path: path, capacity: length + 1)
        var frames: [VideoFrame] = []
        while case .frame(let frame) = try clip.next() { frames.append(frame) }
        guard frames.count > 1, frames[0].resolution == .vga, clip.header.frameRate == 30 else {
            throw WrongUse("\(path) is not a clip of 640x480 at 30 frames per second")
        }
        self = .clip(frames)
    }

    /// The given number of seconds of them.
    func source(seconds: Int) throws -> any FrameSource {
        let count = 30 * seconds
        switch self {
        case .portrait: return try PortraitScene(resolution: .vga, frameRate: 30, frameCount: count)
        case .clip(let frames): return Pendulum(frames, count: count)
        }
    }
}

/// The pictures that a layer should show; read them in order of time.
final class References {
    private let source: any FrameSource
    private let scaler: LayerScaler
    private var current: VideoFrame?

    init(_ source: any FrameSource, of layer: LayerSettings) throws {
        self.source = source
        scaler = try LayerScaler(layer.resolution, aspect: layer.aspect, capacity: 1)
    }

    /// The mean squared error of the shown luma, compared with the picture captured at `time`.
    func error(of shown: VideoFrame, capturedAt time: MediaTime) throws -> Double {
        while (current?.captureTime ?? MediaTime(nanoseconds: -1)) < time {
            current = nil
            guard case .frame(let next) = try source.next() else { throw WrongUse("no picture of \(time)") }
            current = next
        }
        guard let current, current.captureTime == time, let reference = scaler.fitted(current) else {
            throw WrongUse("no picture of \(time)")
        }
        return PictureDifference(between: shown, and: reference).meanSquaredError.y
    }
}

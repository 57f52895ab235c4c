import RillCore
import RillTestSupport

/// The compared properties of a picture.
struct ShownFrame: Equatable, CustomStringConvertible {
    var time: MediaTime
    var checksum: Int
    var resolution: Resolution

    init(_ frame: VideoFrame) {
        time = frame.captureTime
        checksum = frame.samples.hashValue
        resolution = frame.resolution
    }

    var description: String { "\(resolution) at \(time.nanoseconds): \(checksum)" }

    /// All that a source gives until its end.
    static func all(of source: any FrameSource) throws -> [ShownFrame] {
        var frames: [ShownFrame] = []
        while true {
            switch try source.next() {
            case .frame(let frame): frames.append(ShownFrame(frame))
            case .noBuffer, .pending: throw TestFailure("a file has its pictures at once, and nobody holds any")
            case .end: return frames
            }
        }
    }
}

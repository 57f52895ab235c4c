import RillCore
import RillTestSupport
import RillTranscode

/// The frames of a clip that a pattern leaves, at the pattern's times; the clip begins again where it ends.
final class UnevenClip: FrameSource {
    let format: SourceFormat
    private let path: String
    private var clip: any FrameSource
    /// Frames read so far.
    private var place = 0
    private var left: ArraySlice<UnevenFrames.Frame>

    /// - Parameter frameCount: of how many frames some are left.
    init(path: String, _ pattern: UnevenFrames, of frameCount: Int) throws {
        self.path = path
        clip = try Clip.open(path)
        format = SourceFormat(resolution: clip.format.resolution, frameRate: pattern.frameRate)
        left = pattern.frames(of: frameCount)[...]
    }

    func next() throws -> SourceOutput {
        guard let wanted = left.popFirst() else { return .end }
        while true {
            switch try clip.next() {
            case .frame(var frame):
                place += 1
                guard place > wanted.place else { continue }
                frame.captureTime = wanted.time
                return .frame(frame)
            case .end: clip = try Clip.open(path)
            case .noBuffer, .pending: throw TestFailure("\(path) gave no frame after \(place)")
            }
        }
    }
}

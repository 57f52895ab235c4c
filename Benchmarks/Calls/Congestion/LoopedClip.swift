import Rill
import RillFiles

/// A clip that is repeated from its start.
final class LoopedClip: FrameSource {
    let format: SourceFormat
    private let path: String
    private let count: Int
    private let start: Int
    private let phase: MediaDuration
    private var number = 0
    private var reader: Y4MReader

    /// The clip from its start.
    ///
    /// - Parameters:
    ///   - path: a Y4M file.
    ///   - seconds: when it ends.
    ///   - start: when it begins, in seconds.
    ///   - phase: how much later each frame is captured: cameras are not in step.
    init(path: String, seconds: Int, from start: Int = 0, phase: MediaDuration = .zero) throws {
        (self.path, self.start, self.phase) = (path, start, phase)
        reader = try Y4MReader(path: path, capacity: 16)
        count = 30 * (seconds - start)
        format = reader.format
    }

    func next() throws -> SourceOutput {
        guard number < count else { return .end }
        var result = try reader.next()
        if case .end = result {
            reader = try Y4MReader(path: path, capacity: 16)
            result = try reader.next()
        }
        guard case .frame(var frame) = result else { return result }
        frame.captureTime = FrameRate(30).time(ofFrame: 30 * start + number) + phase
        frame.timestamps = FrameTimestamps()
        frame.isDiscontinuity = number == 0
        number += 1
        return .frame(frame)
    }
}

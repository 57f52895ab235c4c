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
    ///   - skipped: how many of the clip's frames are left out at its first start.
    init(
        path: String, seconds: Int, from start: Int = 0, phase: MediaDuration = .zero, skipping skipped: Int = 0
    ) throws {
        (self.path, self.start, self.phase) = (path, start, phase)
        reader = try Y4MReader(path: path, capacity: 16)
        count = 30 * (seconds - start)
        format = reader.format
        for _ in 0..<skipped { _ = try read() }
    }

    func next() throws -> SourceOutput {
        guard number < count else { return .end }
        let result = try read()
        guard case .frame(var frame) = result else { return result }
        frame.captureTime = FrameRate(30).time(ofFrame: 30 * start + number) + phase
        frame.timestamps = FrameTimestamps()
        frame.isDiscontinuity = number == 0
        number += 1
        return .frame(frame)
    }

    private func read() throws -> SourceOutput {
        let result = try reader.next()
        guard case .end = result else { return result }
        reader = try Y4MReader(path: path, capacity: 16)
        return try reader.next()
    }
}

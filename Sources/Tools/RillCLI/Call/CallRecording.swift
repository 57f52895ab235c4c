import Rill
import RillCore
import RillFiles
import RillImage

/// Writes the shown pictures as Y4M with 30 pictures per second, each repeated until the next one, so that the file is
/// as long as the session in spite of losses. Times are those of a ``RecordingTimeline``: timestamps that jump do not
/// make it longer. The file has the size of the first picture; pictures of another size are scaled to fit, with black
/// bars.
///
/// Threads: the decoding thread writes; any thread reads the results.
final class CallRecording: FrameSink, Sendable {
    private let state: Monitor<State>

    private struct State: ~Copyable {
        let path: String
        let name: String
        var writer: Y4MWriter?
        var pool: FramePool?
        var held: VideoFrame?
        var timeline = RecordingTimeline()
        var framesWritten = 0
        var failure: (any Error)?
    }

    private static let frameRate: FrameRate = 30

    init(path: String, name: String) {
        state = Monitor(State(path: path, name: name))
    }

    var framesWritten: Int { state.withLock { $0.framesWritten } }
    /// The reason why writing stopped; `nil` if it did not.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Returns a line about timestamps that jumped, once.
    func takeNotice() -> String? { state.withLock { $0.timeline.takeNotice() } }
    /// A line about all jumps, if there were several.
    var summary: String? { state.withLock { $0.timeline.summary } }

    func consume(_ frame: VideoFrame) throws {
        try state.withLock { (state) throws in
            do { try CallRecording.write(frame, &state) } catch {
                state.failure = error
                throw error
            }
        }
    }

    func finish() throws {
        try state.withLock { (state) throws in
            guard let held = state.held.take() else { return }
            do {
                try CallRecording.write(held, until: state.framesWritten + 1, &state)
                try state.writer?.finish()
            } catch {
                state.failure = error
                throw error
            }
        }
    }

    private static func write(_ frame: VideoFrame, _ state: inout State) throws {
        if state.writer == nil {
            state.writer = try Y4MWriter(
                path: state.path, name: state.name, resolution: frame.resolution, frameRate: frameRate)
            state.pool = try FramePool(resolution: frame.resolution, capacity: 2)
        }
        guard let size = state.writer?.header.resolution, let fitted = fit(frame, into: size, state.pool) else {
            return
        }
        // Pictures that were not shown by a receiver have come when they were captured.
        let arrival = frame.timestamps[.shown] ?? frame.captureTime
        let time = state.timeline.add(frame.captureTime, arrivedAt: arrival)
        // The index of the picture; if two fall into one interval, both are written.
        let place = Int((time.seconds * frameRate.framesPerSecond).rounded())
        if let held = state.held { try write(held, until: max(place, state.framesWritten + 1), &state) }
        state.held = fitted
    }

    private static func write(_ frame: VideoFrame, until end: Int, _ state: inout State) throws {
        while state.framesWritten < end {
            try state.writer?.consume(frame)
            state.framesWritten += 1
        }
    }

    /// The picture in that size, with black bars; `nil` without a buffer for it.
    static func fit(_ frame: VideoFrame, into size: Resolution, _ pool: FramePool?) -> VideoFrame? {
        guard frame.resolution != size, let pool else { return frame }
        return frame.scaled(PictureFit(frame.resolution, into: size, .letterbox), into: pool)
    }
}

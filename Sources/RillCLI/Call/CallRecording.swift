import Rill
import RillCore
import RillFiles
import RillImage

/// Writes what was shown as Y4M of 30 pictures a second, each standing until the next one: as long as what was seen, whatever was
/// lost. The file has the size of the first picture; others are fitted into it, with black around them.
///
/// Threads: the decoding thread writes; any looks at what has come of it.
final class CallRecording: FrameSink, Sendable {
    private let state: Monitor<State>

    private struct State: ~Copyable {
        let path: String
        let name: String
        var writer: Y4MWriter?
        var pool: FramePool?
        var held: VideoFrame?
        var start = MediaTime.zero
        var framesWritten = 0
        var failure: (any Error)?
    }

    private static let frameRate: FrameRate = 30

    init(path: String, name: String) {
        state = Monitor(State(path: path, name: name))
    }

    var framesWritten: Int { state.withLock { $0.framesWritten } }
    /// Why the rest was not written.
    var failure: (any Error)? { state.withLock { $0.failure } }

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
            state.start = frame.captureTime
        }
        guard let size = state.writer?.header.resolution, let fitted = fit(frame, into: size, state.pool) else {
            return
        }
        // Its place among the pictures; two within one interval are both written.
        let place = Int(((frame.captureTime - state.start).seconds * frameRate.framesPerSecond).rounded())
        if let held = state.held { try write(held, until: max(place, state.framesWritten + 1), &state) }
        state.held = fitted
    }

    private static func write(_ frame: VideoFrame, until end: Int, _ state: inout State) throws {
        // A clock that leaps by hours fills no disk.
        let end = min(end, state.framesWritten + Int(frameRate.framesPerSecond) * 60)
        while state.framesWritten < end {
            try state.writer?.consume(frame)
            state.framesWritten += 1
        }
    }

    private static func fit(_ frame: VideoFrame, into size: Resolution, _ pool: FramePool?) -> VideoFrame? {
        guard frame.resolution != size, let pool else { return frame }
        return frame.scaled(PictureFit(frame.resolution, into: size, .letterbox), into: pool)
    }
}

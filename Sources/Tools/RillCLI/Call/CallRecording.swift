import Rill
import RillCore
import RillFiles
import RillImage
import RillLab

/// Writes the shown pictures as Y4M with 30 pictures per second, each repeated until the next one, so that the file is
/// as long as the session in spite of losses. Times are those of a ``RecordingTimeline``: timestamps that jump do not
/// make it longer. The file has the size of the first picture; pictures of another size are scaled to fit, with black
/// bars. That larger ones lose by it is reported.
///
/// Threads: the decoding thread writes; any thread reads the results.
final class CallRecording: FrameSink, Sendable {
    private let state: Monitor<State>

    private struct State: ~Copyable {
        let path: String
        let name: String
        /// The size of the file; `nil` before the first picture.
        var size: Resolution?
        var output: FixedRateOutput?
        var pool: FramePool?
        /// The largest picture that was made smaller; `nil` for none.
        var largest: Resolution?
        var reported: Resolution?
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

    /// Returns a line about pictures that grew, or about timestamps that jumped, each once.
    func takeNotice() -> String? {
        state.withLock { state in
            guard let size = state.size, let largest = state.largest, state.reported == nil else {
                return state.timeline.takeNotice()
            }
            state.reported = largest
            return "the pictures have grown to \(largest): \(state.name) keeps the size of the first, \(size); "
                + ".webm, .mkv and .ivf keep every size"
        }
    }
    /// A line about the largest pictures and all jumps, if there is more to say than was reported.
    var summary: String? {
        state.withLock { state in
            let size = state.size.flatMap { size in
                state.largest == state.reported
                    ? nil
                    : state.largest.map { "pictures of up to \($0) were scaled to \(size), the size of the first" }
            }
            let lines = [size, state.timeline.summary].compactMap(\.self)
            return lines.isEmpty ? nil : lines.joined(separator: "; ")
        }
    }

    func consume(_ frame: VideoFrame) throws { try keepingFailure { try CallRecording.write(frame, &$0) } }

    func finish() throws { try keepingFailure { try $0.output.take()?.finish(with: nil) } }

    private func keepingFailure(_ body: (inout State) throws -> Void) throws {
        try state.withLock { (state) throws in
            do { try body(&state) } catch {
                state.failure = error
                throw error
            }
        }
    }

    private static func write(_ frame: VideoFrame, _ state: inout State) throws {
        if state.size == nil {
            state.size = frame.resolution
            state.pool = try FramePool(resolution: frame.resolution, capacity: 2)
            let writer = try Y4MWriter(
                path: state.path, name: state.name, resolution: frame.resolution, frameRate: frameRate)
            state.output = FixedRateOutput(writer, frameRate: frameRate)
        }
        if let size = state.size, frame.resolution.width > size.width || frame.resolution.height > size.height,
            frame.resolution.pixelCount > state.largest?.pixelCount ?? 0
        {
            state.largest = frame.resolution
        }
        guard let output = state.output, let size = state.size, var fitted = fit(frame, into: size, state.pool) else {
            return
        }
        // Pictures that were not shown by a receiver have come when they were captured.
        let arrival = frame.timestamps[.shown] ?? frame.captureTime
        fitted.captureTime = .zero + state.timeline.add(frame.captureTime, arrivedAt: arrival)
        defer { state.framesWritten = output.framesWritten }
        try output.show(fitted, from: .zero)
    }

    /// The picture in that size, with black bars; `nil` without a buffer for it.
    static func fit(_ frame: VideoFrame, into size: Resolution, _ pool: FramePool?) -> VideoFrame? {
        guard frame.resolution != size, let pool else { return frame }
        return frame.scaled(PictureFit(frame.resolution, into: size, .letterbox), into: pool)
    }
}

import Glibc
import RillCore

/// An open camera, from opening to closing. It turns the camera's buffers into frames.
///
/// Single owner.
final class CameraSession {
    let mode: CameraMode
    var path: String { stream.path }
    private let stream: VideoStream
    private let reader: PictureReader
    private let now: () -> MediaTime
    private var timestamps: FrameTimestampCheck
    private var sequence = SequenceGaps()
    private var counts = CameraStatistics()

    /// The result of a wait for a frame.
    enum Outcome {
        case frame(VideoFrame)
        case damaged(FrameFault)
        case nothing
    }

    init(_ node: consuming VideoNode, _ constraints: CameraConstraints) throws(CameraError) {
        let calls = node.calls
        stream = try VideoStream(node, constraints)
        reader = try PictureReader(stream.negotiated.layout)
        mode = stream.negotiated.mode
        timestamps = FrameTimestampCheck(interval: mode.interval)
        now = { calls.now }
    }

    /// Waits for the next frame and writes it to `target`.
    ///
    /// - Parameters:
    ///   - deadline: when to stop waiting.
    ///   - target: the frame to fill.
    /// - Throws: errors that end the session.
    func next(until deadline: MediaTime, into target: consuming MutableFrame) throws(CameraError) -> Outcome {
        let readiness = stream.wait(until: deadline)
        guard readiness != .timedOut else { return .nothing }
        // The call that dequeues a buffer reports what is wrong with the device. Most often it is gone.
        guard let filled = try stream.dequeue() else {
            if readiness == .failed { throw .callFailed(.wait, path: path, code: EIO) }
            return .nothing
        }
        let missed = sequence.add(filled.sequence)
        counts.framesMissed += missed
        counts.gaps += missed > 0 ? 1 : 0
        let time = timestamps.time(
            stamp: filled.stamp, sequence: filled.sequence, queuedAt: filled.queuedAt, now: now())
        let fault = filled.isDamaged ? .flagged : read(filled, into: &target)
        // The pixels are copied: the driver may have the buffer back.
        try stream.queue(filled.index)
        if let fault { return .damaged(fault) }
        counts.framesCaptured += 1
        return .frame(target.finish(captureTime: time, colorSpace: mode.colorSpace))
    }

    private func read(_ filled: VideoStream.Filled, into target: inout MutableFrame) -> FrameFault? {
        let stream = stream
        let (first, second, third) = (
            stream.bytes(filled, memory: 0), stream.bytes(filled, memory: 1), stream.bytes(filled, memory: 2)
        )
        return reader.read(first, second, third, into: &target)
    }

    /// The counts of frames and timestamps since they were last taken.
    func takeCounts() -> CameraStatistics {
        counts.timestampFaults = timestamps.faults
        timestamps.faults = TimestampFaults()
        defer { counts = CameraStatistics() }
        return counts
    }
}

/// Counts the gaps in the driver's sequence numbers.
struct SequenceGaps: Sendable {
    private var last: UInt32?

    /// Returns how many numbers are missing between this one and the previous one. A driver that restarts its count
    /// has skipped none.
    mutating func add(_ sequence: UInt32) -> Int {
        defer { last = sequence }
        guard let last else { return 0 }
        let step = sequence &- last
        // Half of all numbers are in the past: a count that goes back or does not advance is not a gap.
        return step >= 1 && step < 1 << 31 ? Int(step - 1) : 0
    }
}

import Rill
import RillCore
import RillThreads

/// The pictures of one of several sessions, as they follow each other in one recording: the session's end is not the
/// recording's.
///
/// Threads: the decoding thread.
final class SessionPictures: FrameSink, Sendable {
    private let recording: CallRecording
    private let clock: LiveClock
    /// From the session's times to the call's clock.
    private let shift = Monitor<MediaDuration?>(nil)

    init(_ recording: CallRecording, _ clock: LiveClock) { (self.recording, self.clock) = (recording, clock) }

    func consume(_ frame: VideoFrame) throws {
        var frame = frame
        let now = clock.now
        frame.captureTime += shift.withLock { shift in
            let known = shift ?? (now - frame.captureTime)
            shift = known
            return known
        }
        try recording.consume(frame)
    }

    func finish() {}
}

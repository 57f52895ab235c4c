import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillThreads

/// A recording of a received stream: ``CallRecording`` for pictures, ``CodedRecording`` for encoded frames.
protocol StreamRecording: Sendable {
    var framesWritten: Int { get }
    /// The reason why writing stopped; `nil` if it did not.
    var failure: (any Error)? { get }
    /// A line about all timestamps that jumped, if there were several.
    var summary: String? { get }
    /// Returns a line about timestamps that jumped, once.
    func takeNotice() -> String?
    /// Records a layer of the sender; with a clock, one of several sessions that follow each other.
    func show(_ layer: StreamLayer.RID, of them: CallParticipant, on clock: LiveClock?) throws
    /// Closes the file, after the end of the call.
    func finish() throws
}

extension StreamRecording {
    /// Records a layer of the only session.
    func show(_ layer: StreamLayer.RID, of them: CallParticipant) throws { try show(layer, of: them, on: nil) }
}

extension CallRecording: StreamRecording {
    func show(_ layer: StreamLayer.RID, of them: CallParticipant, on clock: LiveClock?) throws {
        if let clock { try them.show(layer, on: SessionPictures(self, clock)) } else { try them.show(layer, on: self) }
    }
}

extension CodedRecording: StreamRecording {
    func show(_ layer: StreamLayer.RID, of them: CallParticipant, on clock: LiveClock?) throws {
        try them.show(layer, on: FrameTap { _ in }) { tap(&$0) }
    }
}

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

/// The file that a received stream is written to.
struct RecordingOptions: ParsableArguments {
    @Option(
        help: "Write the stream, as .y4m, .ivf, .webm or .mkv.", completion: .files(.y4m, .ivf, more: ["webm", "mkv"]))
    var output: String?

    func validate() throws {
        if let output, VideoFileFormat(path: output) != .y4m, !CodedRecording.writes(output) {
            throw ValidationError("--output \(output): the name must end in .y4m, .ivf, .webm or .mkv")
        }
    }

    /// Starts the recording, if one was requested.
    func open(_ files: OutputFiles) throws -> (any StreamRecording)? {
        try output.map { name in
            let path = try files.openPart(of: name)
            return CodedRecording.writes(name)
                ? CodedRecording(path: path, name: name) : CallRecording(path: path, name: name)
        }
    }
}

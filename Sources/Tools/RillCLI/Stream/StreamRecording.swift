import Rill
import RillCore
import RillFiles

/// The output of `rill receive`, selected by the file extension: pictures or encoded frames.
enum StreamRecording {
    case pictures(CallRecording)
    case coded(CodedRecording)

    init(path: String, name: String) {
        self =
            CodedRecording.writes(name)
            ? .coded(CodedRecording(path: path, name: name)) : .pictures(CallRecording(path: path, name: name))
    }

    /// Records a layer of the sender.
    func show(_ layer: StreamLayer.RID, of them: CallParticipant) throws {
        switch self {
        case .pictures(let recording): try them.show(layer, on: recording)
        case .coded(let recording): try them.show(layer, on: UnseenPictures()) { recording.tap(&$0) }
        }
    }

    /// Records a layer of one of several sessions that follow each other.
    func show(_ layer: StreamLayer.RID, of them: CallParticipant, on clock: LiveClock) throws {
        guard case .pictures(let recording) = self else { return try show(layer, of: them) }
        try them.show(layer, on: SessionPictures(recording, clock))
    }

    /// Closes the file, after the end of the call.
    func finish() throws {
        switch self {
        case .pictures(let recording): try recording.finish()
        case .coded(let recording): try recording.finish()
        }
    }

    var framesWritten: Int {
        switch self {
        case .pictures(let recording): recording.framesWritten
        case .coded(let recording): recording.framesWritten
        }
    }

    /// Returns a line about timestamps that jumped, once.
    func takeNotice() -> String? {
        switch self {
        case .pictures(let recording): recording.takeNotice()
        case .coded(let recording): recording.takeNotice()
        }
    }

    /// A line about all jumps, if there were several.
    var summary: String? {
        switch self {
        case .pictures(let recording): recording.summary
        case .coded(let recording): recording.summary
        }
    }

    /// The reason why writing stopped; `nil` if it did not.
    var failure: (any Error)? {
        switch self {
        case .pictures(let recording): recording.failure
        case .coded(let recording): recording.failure
        }
    }
}

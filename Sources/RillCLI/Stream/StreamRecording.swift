import Rill
import RillCore
import RillFiles

/// What `rill receive` writes, by the ending of the name: pictures, or the coded frames.
enum StreamRecording {
    case pictures(CallRecording)
    case coded(CodedRecording)

    init(path: String, name: String) {
        self =
            CodedRecording.writes(name)
            ? .coded(CodedRecording(path: path, name: name)) : .pictures(CallRecording(path: path, name: name))
    }

    /// Shows a layer of theirs here.
    func show(_ layer: StreamLayer.RID, of them: CallParticipant) throws {
        switch self {
        case .pictures(let recording): try them.show(layer, on: recording)
        case .coded(let recording): try them.show(layer, on: UnseenPictures()) { recording.tap(&$0) }
        }
    }

    /// Closes the file, once the call is over.
    func finish() throws { if case .coded(let recording) = self { try recording.finish() } }

    var framesWritten: Int {
        switch self {
        case .pictures(let recording): recording.framesWritten
        case .coded(let recording): recording.framesWritten
        }
    }

    /// Why the rest was not written.
    var failure: (any Error)? {
        switch self {
        case .pictures(let recording): recording.failure
        case .coded(let recording): recording.failure
        }
    }
}

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

    /// Closes the file, after the end of the call.
    func finish() throws { if case .coded(let recording) = self { try recording.finish() } }

    var framesWritten: Int {
        switch self {
        case .pictures(let recording): recording.framesWritten
        case .coded(let recording): recording.framesWritten
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

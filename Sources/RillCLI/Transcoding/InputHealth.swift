import Rill
import RillContainers
import RillCore
import RillTranscode

/// What was missing of a clip that was read once, as far as it was read.
struct InputHealth {
    private let source: any FrameSource
    private let path: String?
    private let health = SourceHealth()

    /// The health of `source`, which reads the clip at `path` (`nil` for a scene or a camera), wholly or its beginning.
    init(_ source: any FrameSource, of path: String?) {
        self.source = source
        self.path = path
    }

    /// What is missing and why, once it was read; `nil` where nothing is. A file that is cut off is whole as long as nobody
    /// got to its end.
    ///
    /// - Parameter wasReadToItsEnd: whether nothing but the source itself, or its duration, ended it.
    func failure(wasReadToItsEnd: Bool) -> String? {
        let timed = source as? TimedSource
        health.note(timed?.wrapped ?? source)
        let isCut = wasReadToItsEnd && timed?.isTimeOver != true && (timed?.wrapped ?? source) is ContainerSource
        if isCut { health.note(path.flatMap { Truncation(ofFile: $0) }) }
        return health.failure
    }

    /// What else there is to say.
    var remarks: [String] { [health.remark].compactMap(\.self) }
}

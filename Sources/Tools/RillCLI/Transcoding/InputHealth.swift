import Rill
import RillContainers
import RillCore
import RillTranscode

/// What was missing in the part of a clip that was read.
struct InputHealth {
    private let source: any FrameSource
    private let path: String?
    private let health = SourceHealth()

    /// The health of `source`, which reads all or the start of the clip at `path` (`nil` for a scene or a camera).
    init(_ source: any FrameSource, of path: String?) {
        self.source = source
        self.path = path
    }

    /// What is missing and why, after reading; `nil` if nothing is. Truncation of a file counts only if it was read to
    /// its end.
    ///
    /// - Parameter wasReadToItsEnd: whether the source or its duration limit ended the reading, not the user.
    func failure(wasReadToItsEnd: Bool) -> String? {
        let timed = source as? TimedSource
        health.note(timed?.wrapped ?? source)
        let isCut = wasReadToItsEnd && timed?.isTimeOver != true && (timed?.wrapped ?? source) is ContainerSource
        if isCut { health.note(path.flatMap { Truncation(ofFile: $0) }) }
        return health.failure
    }

    /// Further remarks for the user.
    var remarks: [String] { [health.remark].compactMap(\.self) }
}

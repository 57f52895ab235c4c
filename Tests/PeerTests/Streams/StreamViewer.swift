import Foundation
import RillCore
import RillRTP
import RillTestSupport

/// `rill watch`, with what it received in a file of encoded frames.
struct StreamViewer {
    private let folder = TemporaryFolder()
    private let program: RunningProgram

    init(_ url: String, layer: String? = nil, seconds: Int) throws {
        program = try RillRun.start(
            ["watch", url, "--duration", "\(seconds)s", "--output", folder.path("shown.ivf"), "--json"]
                + (layer.map { ["--layer", $0] } ?? []))
    }

    /// What it says while it runs.
    var log: String { program.errorsSoFar }

    /// How many frames it has written until now: to the file that gets its name at the end.
    func framesSoFar() throws -> Int { try IVFFrames.read(folder.path(".shown.ivf.part")).count }

    /// What came, at its end.
    struct Outcome {
        /// Frames that it received, decoded and wrote.
        var frames: Int
        /// The sizes of key frames, in the order in which they came.
        var sizes: [String] = []
    }

    /// Waits for its end.
    func finished() async throws -> Outcome {
        let outcome = try await program.finished()
        guard outcome.status == 0 else { throw TestFailure("rill watch: \(outcome.status): \(outcome.errors)") }
        let frames = try IVFFrames.read(folder.path("shown.ivf"))
        var result = Outcome(frames: frames.count)
        for frame in frames {
            guard let size = try CodedFrameHeader(parsing: frame.span, as: .vp8).resolution?.description else {
                continue
            }
            if result.sizes.last != size { result.sizes.append(size) }
        }
        return result
    }

    /// Ends it as Ctrl-C does.
    func stop() async throws -> Outcome {
        program.interrupt()
        return try await finished()
    }
}

import Foundation
import Glibc
import RillTestSupport
import Testing

/// A live server for a minute beside ten viewers who have done nothing, and an attacker without a key: on other ports,
/// in another namespace, and with forged addresses.
@Suite(
    .enabled(if: isLongRun, "only with --all"), .enabled(if: geteuid() == 0, "raw sockets need root"))
struct LiveAttackTests {
    private struct Outcome: Decodable {
        /// Publishers and viewers that were seen.
        var clients: Int
        var forged: Int
        /// Pictures that the publisher sent meanwhile, and that each viewer got.
        var published: Int
        var frames: [Int]
        /// Forged addresses that nobody has, and the most bytes towards one for each byte from it.
        var victims: Int
        var worst: Double
        var data: Int
        var metrics: [String: Double]
    }

    @Test func `ten viewers keep their frames, and forged addresses get nothing`() async throws {
        let rill = try Program(builtAs: "rill")
        let folder = TemporaryFolder()
        var unshare = try existing(Program(named: "unshare"))
        let tools = URL(fileURLWithPath: rill.path).deletingLastPathComponent().path
        unshare.environment["PATH"] = "\(tools):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        let program = try unshare.start(
            [
                "--net", "--mount", "python3", "-c", LiveAttackScript.text, rill.path, folder.root, "60", "10",
            ], limit: 240)
        let run = try await program.finished()
        #expect(run.status == 0, "\(run.errors)")
        let outcome = try JSONDecoder().decode(Outcome.self, from: Data(run.output))
        note("\(outcome)")
        #expect(outcome.clients == 11 && outcome.forged > 1000 && outcome.victims >= 20 && outcome.published > 300)
        // One may be on its way at the beginning, and one at the end.
        let least = Double(outcome.published) * 0.99 - 2
        #expect(outcome.frames.allSatisfy { Double($0) >= least }, "\(outcome.frames) of \(outcome.published)")
        #expect(outcome.worst <= 3 && outcome.data == 0, "\(outcome)")
    }
}

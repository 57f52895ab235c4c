#if Server
import Foundation
import RillTestSupport
import Testing

/// The unit of systemd that Scripts/install puts beside `rill serve`.
@Suite(.enabled(if: Peer.systemd.isInstalled, "systemd is not installed"))
struct ServiceUnitTests {
    private let folder = TemporaryFolder()

    @Test func `systemd takes each line of it, and calls it safe`() throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Scripts/service/rill-serve.service")
        let rill = try rillProgram().path
        let unit = try String(contentsOf: source, encoding: .utf8).replacing("@PREFIX@/bin/rill", with: rill)
        let path = folder.path("rill-serve.service")
        try write(Array(unit.utf8), to: path)
        let check = try existing(Program(named: Peer.systemd.rawValue)).run(["verify", "--man=no", path])
        #expect(check.status == 0 && check.text + check.errors == "", "\(check.text)\(check.errors)")
        // 10 is a service without limits; what is left here is a network to serve.
        try Peer.systemd.run(["security", "--offline=true", "--threshold=20", path])
        // The options of its command line are some that rill serve has.
        let words = try #require(unit.firstMatch(of: /ExecStart=\S+ (.*)\n/)?.1).split(separator: " ").map {
            String($0)
        }
        #expect(words.first == "serve")
        let answer = try rillProgram().run(words.map { $0.replacing("%S", with: folder.path("state")) })
        #expect(answer.errors.contains("/etc/rill/serve.json"), "\(answer.errors)")
    }
}
#endif

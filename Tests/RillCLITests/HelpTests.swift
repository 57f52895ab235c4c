import RillTestSupport
import Testing

@Suite struct HelpTests {
    private static var commands: [[String]] {
        var commands = [
            "loopback", "transcode", "inspect", "replay", "generate", "relay", "send", "receive", "key",
        ]
        #if Server
        commands += ["publish", "watch", "join", "serve", "token"]
        #endif
        #if Window
        commands.append("preview")
        #endif
        return [[]] + commands.map { [$0] }
    }

    @Test(arguments: commands)
    func `Help fits a terminal and teaches by example`(command: [String]) throws {
        let outcome = try rillProgram().run(command + ["--help"])
        #expect(outcome.status == 0)
        let lines = outcome.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.filter { $0.count > 80 } == [])
        #expect(lines.contains { $0.hasPrefix("  rill ") }, "\(command): no example")
        // A line that the argument parser had to break loses its indentation, and a list its shape.
        let list = lines.drop { !$0.hasPrefix("Examples:") && !$0.hasPrefix("Start here:") }.dropFirst()
        #expect(list.prefix { !$0.isEmpty }.allSatisfy { $0.hasPrefix("  ") }, "\(command): \(list.prefix(8))")
    }
}

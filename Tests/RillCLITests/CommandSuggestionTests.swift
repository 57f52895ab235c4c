import RillTestSupport
import Testing

@testable import RillCLI

@Suite struct CommandSuggestionTests {
    private static let names = [
        "loopback", "transcode", "reencode", "inspect", "replay", "generate", "cameras", "record", "snapshot",
    ]

    @Test(arguments: [
        ("transcod", "transcode"), ("trancsode", "transcode"), ("lopback", "loopback"), ("inspct", "inspect"),
        ("snpashot", "snapshot"), ("camera", "cameras"), ("trans", "transcode"), ("Record", "record"),
        ("encode", "reencode"), ("gen", "generate"), ("play", "replay"),
    ])
    func `A slip of the keyboard is understood`(word: String, name: String) {
        #expect(CommandSuggestion.nearest(to: word, of: Self.names) == name)
    }

    @Test(arguments: ["re", "clip.mp4", "xyz", "visualise", ""])
    func `Unknown or ambiguous names are not guessed`(word: String) {
        #expect(CommandSuggestion.nearest(to: word, of: Self.names) == nil)
    }

    @Test func `Distances count letters, and neighbours that change places once`() {
        for (a, b, distance) in [("", "abc", 3), ("abc", "abc", 0), ("kitten", "sitting", 3), ("ab", "ba", 1)] {
            #expect(CommandSuggestion.distance(from: a, to: b) == distance, "\(a) \(b)")
            #expect(CommandSuggestion.distance(from: b, to: a) == distance, "\(b) \(a)")
        }
    }

    @Test(arguments: [["transcod", "a.y4m", "b.ivf"], ["transcod"], ["help", "transcod"]])
    func `A misspelt command is refused with the right one`(arguments: [String]) throws {
        let outcome = try rillProgram().run(arguments)
        #expect(outcome.status == 64)
        #expect(
            outcome.errors.hasPrefix("Error: there is no command \"transcod\"; did you mean \"transcode\"?\n"),
            "\(outcome.errors)")
        #expect(try rill("frobnicate").errors.contains("there are loopback, transcode"))
    }
}

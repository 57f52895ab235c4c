import Testing

@testable import RillCLI

struct ShellWordsTests {
    @Test(arguments: [
        ("", []), ("   \t ", []), ("# all of it", []), ("a b", ["a", "b"]), ("  a\t b  ", ["a", "b"]),
        ("a # b", ["a"]), ("a#b", ["a#b"]), ("'#' b", ["#", "b"]),
        (#"'my clip.mp4' out.webm"#, ["my clip.mp4", "out.webm"]), (#"my\ clip.mp4"#, ["my clip.mp4"]),
        (#""a 'b' \"c\" \\ \d""#, [#"a 'b' "c" \ \d"#]), (#"'a\b'"#, [#"a\b"#]), ("a'b c'd\"e f\"", ["ab cde f"]),
        ("'' \"\"", ["", ""]), ("~/*.mp4 $HOME", ["~/*.mp4", "$HOME"]), ("é '世 界'", ["é", "世 界"]),
    ])
    func `A line is split as by a shell`(line: String, words: [String]) throws {
        #expect(try ShellWords.split(line) == words)
    }

    @Test func `What has no end is refused`() {
        #expect(throws: ShellWords.Failure.openQuote("'")) { try ShellWords.split("a 'b") }
        #expect(throws: ShellWords.Failure.openQuote("\"")) { try ShellWords.split(#"a "b\"#) }
        #expect(throws: ShellWords.Failure.openBackslash) { try ShellWords.split(#"a b\"#) }
    }
}

import Testing

@testable import RillCLI

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("clip.y4m", 8), ("█░─→–", 5), ("映画.mp4", 8), ("e\u{301}te\u{301}", 3), ("👩‍👩‍👧", 2), ("🎬", 2), ("한글", 4),
    ])
    func `Wide letters take two columns and accents none`(text: String, columns: Int) {
        #expect(text.columnCount == columns)
    }

    @Test func `Text is cut before the letter that does not fit`() {
        #expect("映画.mp4".fitted(to: 3) == "映")
        #expect("映画.mp4".fitted(to: 8) == "映画.mp4")
        #expect("clip".fitted(to: 0) == "")
        #expect("clip".fitted(to: -7) == "")
    }

    @Test func `Control characters in a file's name move no cursor`() {
        #expect("a\u{1B}[2Jb\r\n\u{9B}1A\u{7F}".fitted(to: 80) == "a?[2Jb??1A?")
        #expect(["x", "\u{1B}c"].fitted(to: 80) == "x  ?c")
    }

    @Test(arguments: 0...90)
    func `A progress bar never exceeds its line, and shrinks before its figures`(length: Int) {
        let line = ProgressBar.line("transcode", 0.5, "123/246 frames, 30/s", length: length)
        #expect(line.columnCount <= length, "\(line)")
        if length >= 40 { #expect(line.hasSuffix("  50 %  123/246 frames, 30/s"), "\(line)") }
        let unknown = ProgressBar.line("inspect", nil, "123 frames, 30/s", length: length)
        #expect(unknown.columnCount <= length)
    }

    @Test func `A wide terminal has the whole bar`() {
        #expect(
            ProgressBar.line("transcode", 0.5, "5/10 frames, 30/s", length: 79)
                == "transcode ████████████████░░░░░░░░░░░░░░░░  50 %  5/10 frames, 30/s")
    }
}

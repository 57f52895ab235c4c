import Testing

@testable import RillCLI

@Suite struct TextTableTests {
    private func table() -> TextTable {
        var table = TextTable(["output", "frames", "kbit/s"])
        table.add(["high.ivf", "300", "812.5"])
        table.add(["低.ivf", "50", ""])
        return table
    }

    @Test func `A table is aligned by display width`() {
        #expect(
            table().text(width: nil) == """
                output    frames  kbit/s
                ────────────────────────
                high.ivf     300   812.5
                低.ivf        50
                """)
    }

    @Test func `A table that fits to the column stays one`() {
        #expect(table().text(width: 24) == table().text(width: nil))
    }

    @Test func `A table that is wider than the terminal becomes a list`() {
        #expect(
            table().text(width: 23) == """
                output
                ──────
                high.ivf
                  frames  300
                  kbit/s  812.5
                低.ivf
                  frames  50
                """)
    }

    @Test func `A list names columns where they have a name`() {
        var figures = TextTable(["", "high", "low"])
        figures.add(["  key frames", "3", "2"])
        #expect(figures.text(width: 10) == "  key frames\n  high  3\n  low   2")
        var plain = TextTable(["sent to 127.0.0.1:5004", ""])
        plain.add(["packets", "7"])
        #expect(plain.text(width: 10) == "sent to 127.0.0.1:5004\n──────────\npackets\n  7")
    }
}

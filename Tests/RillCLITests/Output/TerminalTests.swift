import Testing

@testable import RillCLI

@Suite struct TerminalTests {
    private func terminal(_ environment: [String: String], isTerminal: Bool = true) -> Terminal {
        Terminal(isTerminal: isTerminal, environment: { environment[$0] })
    }

    @Test(arguments: [
        (true, "xterm-256color", true), (true, "linux", true), (true, "dumb", false), (true, "", false),
        (false, "xterm-256color", false), (false, "dumb", false),
    ])
    func `Only a terminal that can move its cursor is drawn over`(isTerminal: Bool, term: String, canRedraw: Bool) {
        #expect(terminal(["TERM": term], isTerminal: isTerminal).canRedraw == canRedraw)
    }

    @Test func `A terminal without TERM is not drawn over`() {
        #expect(!terminal([:]).canRedraw)
        #expect(terminal([:]).isSeen)
    }

    @Test func `The terminal's own size is used, then COLUMNS and LINES, then 80 and 24`() {
        let told = terminal(["COLUMNS": "132", "LINES": "50"])
        #expect(told.size(reported: .init(columns: 40, rows: 10)) == .init(columns: 40, rows: 10))
        #expect(told.size(reported: .init(columns: 0, rows: 0)) == .init(columns: 132, rows: 50))
        #expect(told.size(reported: .init(columns: 40, rows: 0)) == .init(columns: 40, rows: 50))
        #expect(terminal([:]).size(reported: .init(columns: 0, rows: 0)) == .init(columns: 80, rows: 24))
    }

    @Test(arguments: ["0", "-5", "", "wide", "99999999999999999999"])
    func `An invalid COLUMNS is ignored`(columns: String) {
        #expect(terminal(["COLUMNS": columns]).size(reported: .init(columns: 0, rows: 0)).columns == 80)
    }

    @Test func `Tables are not wrapped without a terminal`() {
        #expect(terminal(["COLUMNS": "20"], isTerminal: false).tableWidth == nil)
        // A descriptor that is none says no size.
        #expect(terminal(["COLUMNS": "20"]).tableWidth == 20)
    }

    @Test func `Status lines give way on a terminal and follow each other elsewhere`() {
        let parts = ["12 s", "sent 845 kbit/s", "lost 0.4 %"]
        #expect(StatusLine.text(parts, on: nil) == "12 s  sent 845 kbit/s  lost 0.4 %\n")
        #expect(StatusLine.text(parts, on: 79) == "\r\u{1B}[K12 s  sent 845 kbit/s  lost 0.4 %")
        #expect(StatusLine.text(parts, on: 25) == "\r\u{1B}[K12 s  sent 845 kbit/s")
        #expect(StatusLine.text(parts, on: 3) == "\r\u{1B}[K12 ")
        #expect(StatusLine.text(parts, on: 0) == "\r\u{1B}[K")
    }
}

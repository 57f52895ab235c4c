import ArgumentParser

/// What is reported of a call: the options that commands with a call share.
struct ReportOptions: ParsableArguments {
    @Option(help: "Write a page of plots over time, as .html.", completion: .named(["html"]))
    var report: String?

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    /// Checks that the page can be created, before the work.
    func requirePlace() throws { if let report { try OutputFiles.requirePlace(for: report) } }

    /// Writes the page, if one was requested.
    func writePage(_ title: String, _ log: CallLog, facts: [[String]]) throws {
        if let report { try CallPage(title, log, facts: facts + [["made by", Version.text]]).write(to: report) }
    }

    /// Prints the result, as text or JSON.
    func print(_ log: CallLog) throws {
        if json { try JSONOutput.print(log.summary) } else { try StandardOutput.print(log.text) }
    }
}

/// The page of a call: figures over time, events and results.
struct CallPage: ReportPage {
    let kind = "call"
    let title: String
    let facts: [[String]]
    let way: CallLog.Way
    let layers: [String]
    /// A row of each figure, with a cell for each layer.
    let figures: [[String]]
    let report: CallLog.Summary

    init(_ title: String, _ log: CallLog, facts: [[String]]) {
        self.title = title
        self.facts = facts
        (way, layers, report) = (log.way, log.titles, log.summary)
        figures = log.figures.map { [$0.name] + $0.values }
    }
}

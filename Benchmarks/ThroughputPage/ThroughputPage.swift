import Foundation
import RillPages

/// Makes the page of `throughput --html`: reads the table as JSON from standard input, and writes HTML to standard output.
@main
struct ThroughputPage {
    static func main() throws {
        let content = try JSONDecoder().decode(Content.self, from: FileHandle.standardInput.readDataToEndOfFile())
        var table = PageTable(content.head)
        for group in content.groups {
            table.addGroup(group.title)
            for row in group.rows { table.add(row) }
        }
        let page = Page(
            title: content.title, subtitle: content.subtitle,
            body: [
                HTML.section("Stages", [table.html]),
                HTML.section("Measured with", content.facts.map { HTML.paragraph($0) }),
            ])
        try FileHandle.standardOutput.write(contentsOf: Data(page.bytes))
    }

    /// What `throughput` sends.
    private struct Content: Decodable {
        struct Group: Decodable {
            var title: String
            var rows: [[String]]
        }

        var title: String
        var subtitle: String
        var head: [String]
        var groups: [Group]
        var facts: [String]
    }
}

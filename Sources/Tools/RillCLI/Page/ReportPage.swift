import Foundation
import RillCore
import RillFiles
import RillLab

/// A report as a page: one HTML file that holds the report as JSON, and the script that draws it, `report.html`. It
/// needs no network and no other file. The same report gives the same bytes.
protocol ReportPage: Encodable {
    /// Which of the script's pages it is.
    var kind: String { get }
    var title: String { get }
    /// The parameters: names and values.
    var facts: [[String]] { get }
}

extension ReportPage {
    /// Writes the file.
    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Equal pictures have an infinite PSNR.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        // No text in the report ends the element that holds it.
        let json = String(decoding: try encoder.encode(self), as: UTF8.self)
            .replacingOccurrences(of: "<", with: "\\u003c")
        let page = String(decoding: PackageResources.report_html, as: UTF8.self)
            .replacingOccurrences(of: #"{"kind":"blocks","title":"Report","blocks":[]}"#, with: json)
        try OutputFile.write(Array(page.utf8), to: path)
    }
}

/// A picture on a page.
struct PagePicture: Encodable {
    /// In seconds.
    let time: Double
    let webP: Data
    let width, height: Int

    init(_ thumbnail: Thumbnail) {
        (time, webP) = (thumbnail.time.seconds, Data(thumbnail.webP))
        (width, height) = (thumbnail.resolution.width, thumbnail.resolution.height)
    }
}

/// Intervals of equal length, as an array for each quantity.
struct PageTimeline: Encodable {
    /// The length of each, in seconds.
    let length: Double
    let counts: [String: [Int]]
    /// Minimum, maximum and mean of the intervals that have values.
    let spreads: [String: [[Double]?]]

    init<Interval: MergeableInterval>(_ length: MediaDuration, _ intervals: [Interval]) {
        self.length = length.seconds
        counts = Interval.counts.mapValues { path in intervals.map { Int($0[keyPath: path]) } }
            .merging(Interval.bytes.mapValues { path in intervals.map { Int($0[keyPath: path]) } }) { first, _ in first
            }
        spreads = Interval.spreads.mapValues { path in
            intervals.map { interval in
                let spread = interval[keyPath: path]
                // Thousandths of a millisecond are more than a plot shows.
                return spread.mean.map { mean in
                    [Double(spread.minimum), Double(spread.maximum), mean].map { ($0 * 1000).rounded() / 1000 }
                }
            }
        }
    }
}

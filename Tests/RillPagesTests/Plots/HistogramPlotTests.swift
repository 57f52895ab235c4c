import RillTestSupport
import Testing

@testable import RillPages

@Suite struct HistogramPlotTests {
    private typealias Bucket = HistogramPlot.Bucket

    @Test func `A factor of ten has the same distance everywhere`() {
        let scale = LogScale(holding: [1e-6, 1e-2])
        #expect(scale.range.lowerBound <= 1e-6 && scale.range.upperBound >= 1e-2)
        let steps = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2].map(scale.place)
        for (step, next) in zip(steps, steps.dropFirst()) { #expect(abs(next - step - (steps[1] - steps[0])) < 1e-9) }
        #expect(scale.place(0) == 0 && scale.place(100) == 1)
    }

    @Test(arguments: [
        [1e-3], [0.0, 3e-9], [3e-5, 4e-5], [1e-7, 10], [0.9, 1.1], [2e-6, 999e-6], [5e-3, 5e-3], [.nan, .infinity], [],
    ])
    func `The scale holds its times, and its ticks are round, rise and can be read`(times: [Double]) {
        let scale = LogScale(holding: times)
        let ticks = scale.ticks
        #expect((2...16).contains(ticks.count), "\(ticks)")
        #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $0.seconds < $1.seconds })
        #expect(ticks.contains { !$0.isFine })
        #expect(scale.range.upperBound >= scale.range.lowerBound * 9.99)
        for time in times where time.isFinite {
            #expect(time < 1e-7 || scale.range.lowerBound <= time * 1.0001, "\(time)")
            #expect(scale.range.upperBound * 1.0001 >= time, "\(time)")
        }
        for text in ticks.map({ LogScale.text($0.seconds) }) {
            let words = text.split(separator: " ")
            #expect(words.count == 2 && ["1", "2", "5"].contains(words[0].prefix(1)), "\(text)")
        }
    }

    @Test func `Times are written in the unit that fits them`() {
        #expect(
            [1e-7, 1e-6, 5e-5, 1e-3, 0.2, 1, 20].map(LogScale.text) == [
                "100 ns", "1 µs", "50 µs", "1 ms", "200 ms", "1 s", "20 s",
            ])
    }

    private func paths(_ rows: [HistogramPlot.Row]) throws -> [String] {
        let document = try MarkupDocument(HistogramPlot("Times <&>", rows).html.source)
        return document.named("path").filter { $0.attributes["class"]?.hasPrefix("band") == true }
            .compactMap { $0.attributes["d"] }
    }

    @Test func `The tallest bar fills its row, half as many are half as high, and neighbours share an outline`() throws
    {
        let buckets = [Bucket(1e-3...2e-3, count: 10), Bucket(2e-3...5e-3, count: 5)]
        let path = try #require(try paths([.init("a", [.init("idle", .blue, buckets, note: "")])]).first)
        let scale = LogScale(holding: [1e-3, 5e-3])
        func across(_ time: Double) -> String { Decimal.place(scale.place(time) * 1000) }
        #expect(path == "M\(across(1e-3)) 64V4H\(across(2e-3))V34H\(across(5e-3))V64Z")
    }

    @Test func `A gap is left open, an empty bucket draws nothing, and a single frame among many is seen`() throws {
        let buckets = [
            Bucket(1e-3...2e-3, count: 100_000), Bucket(2e-3...5e-3, count: 0), Bucket(5e-3...1e-2, count: 1),
        ]
        let path = try #require(try paths([.init("a", [.init("idle", .blue, buckets, note: "")])]).first)
        #expect(path.split(separator: "M").count == 2)
        #expect(path.hasSuffix("V\(Decimal.place(64 - HistogramPlot.leastHeight))H1000V64Z"))
    }

    @Test func `Each row is described in words, and marks its percentiles and its limit`() throws {
        let row = HistogramPlot.Row(
            "what Rill adds",
            [
                .init("idle", .blue, [Bucket(1e-4...2e-4, count: 3)], mark: 2e-4, note: "median 0.1 ms"),
                .init("busy", .orange, [Bucket(1e-2...2e-2, count: 3)], mark: 2e-2, note: "median 10 ms"),
            ], limit: 1e-3)
        let plot = HistogramPlot("Times", caption: "Dashed: 99 %.", [row, .init("nothing", [])])
        let document = try MarkupDocument(plot.html.source)
        let labels = document.elements.compactMap { $0.attributes["aria-label"] }
        #expect(labels == ["what Rill adds: idle median 0.1 ms; busy median 10 ms"])
        let lines = document.named("line").compactMap { $0.attributes["class"] }
        #expect(lines.filter { $0.hasPrefix("mark") } == ["mark ink-blue", "mark ink-orange"])
        #expect(lines.count { $0 == "limit" } == 1)
        #expect(document.named("text").contains { $0.text == "at most 1 ms" })
        #expect(document.named("p").map(\.text) == ["Dashed: 99 %."])
        // A row of which there is nothing is not there.
        #expect(!plot.html.source.contains("nothing"))
    }

    @Test(arguments: [2e-5...0.15, 1e-3...0.9, 5e-4...5e-3, 1e-6...0.05])
    func `Labels of the axis do not overlap`(span: ClosedRange<Double>) throws {
        let row = HistogramPlot.Row("a", [.init("idle", .blue, [Bucket(span, count: 1)], note: "")])
        let document = try MarkupDocument(HistogramPlot("Times", [row]).html.source)
        // "500 ms" takes 45 of the 640 pixels or more that the plot is wide, where fine labels are there at all.
        let width = 7.0
        let shifts = ["start": 0, "middle": width / 2, "end": width]
        let labels = try document.named("text").map { label in
            let place = try #require(label.attributes["x"].flatMap { Double($0.dropLast()) })
            let shift = try #require(label.attributes["text-anchor"].flatMap { shifts[$0] })
            return place - shift
        }
        #expect(labels.count >= 3)
        #expect(zip(labels, labels.dropFirst()).allSatisfy { $1 - $0 >= width }, "\(labels)")
        #expect(labels.allSatisfy { $0 >= 0 && $0 + width <= 100 }, "\(labels)")
    }

    @Test func `Plots with the same span have the same axis`() throws {
        func labels(_ bucket: Bucket) throws -> [String] {
            let row = HistogramPlot.Row("a", [.init("idle", .blue, [bucket], note: "")])
            let plot = HistogramPlot("Times", [row], span: 1e-5...3)
            return try MarkupDocument(plot.html.source).named("text").map(\.text)
        }
        let short = try labels(Bucket(1e-5...2e-5, count: 1))
        #expect(try short == labels(Bucket(2...3, count: 7)))
        #expect(short.first == "10 µs" && short.last == "1 s")
    }

    @Test func `A plot of nothing is a plot`() throws {
        #expect(try MarkupDocument(HistogramPlot("Nothing", []).html.source).named("figure").count == 1)
    }
}

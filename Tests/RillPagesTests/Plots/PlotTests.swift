import RillTestSupport
import Testing

@testable import RillPages

@Suite struct PlotTests {
    private let x = Axis("x", 0...10)
    private let y = Axis("y", 0...100)

    private func path(_ mark: Mark) throws -> String {
        let drawing = Drawing(x: x, height: 100)
        return try #require(try MarkupDocument(mark.drawn(in: drawing, y).source).elements.first?.attributes["d"])
    }

    @Test func `Lines, steps, dots and bands are drawn where their values are`() throws {
        let points = [Mark.Point(0, 0), Mark.Point(5, 50), Mark.Point(10, 100)]
        #expect(try path(.line("", .blue, points)) == "M0 100L500 50L1000 0")
        #expect(try path(.step("", .blue, points)) == "M0 100H500V50H1000V0")
        #expect(try path(.scatter("", .blue, points)) == "M0 100h0M500 50h0M1000 0h0")
        #expect(try path(.level("", .grey, 25)) == "M0 75L1000 75")
        #expect(
            try path(.band("", .blue, [Mark.Range(0, 10, 20), Mark.Range(10, 30, 40)])) == "M0 80L1000 60L1000 70L0 90Z"
        )
    }

    @Test func `Along logarithms twice as much lies everywhere as far away`() throws {
        let axis = Axis.logarithmic("streams", 1...1024)
        let drawing = Drawing(x: axis, height: 100)
        let points = [0, 1, 2, 32, 1024, 5000].map { Mark.Point($0, 0) }
        #expect(
            drawing.line(points, y) == "M0 100L0 100L100 100L500 100L1000 100L1000 100")
        let ticks = axis.ticks(atMost: 12)
        #expect(ticks.values == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])
        #expect(ticks.values.filter(ticks.isCoarse) == [1, 10, 100, 1000])
        #expect(axis.text(0.2, decimals: Axis.logarithmic("", 0.2...7).ticks(atMost: 2).decimals) == "0.2")
    }

    @Test func `A NaN interrupts the line`() throws {
        let points = [Mark.Point(0, 0), Mark.Point(1, .nan), Mark.Point(2, 10), Mark.Point(3, 10)]
        #expect(try path(.line("", .blue, points)) == "M0 100M200 90L300 90")
        #expect(try path(.step("", .blue, points)) == "M0 100H100M200 90H300V90")
    }

    @Test func `Values outside of the axes are drawn at their ends`() throws {
        #expect(try path(.line("", .blue, [Mark.Point(-5, -5), Mark.Point(50, 500)])) == "M0 100L1000 0")
    }

    @Test func `What is counted has no tick between one and the next`() {
        func ticks(_ range: ClosedRange<Double>) -> [Double] { Axis.count("senders", range).ticks(atMost: 12).values }
        #expect(ticks(0...5) == [0, 1, 2, 3, 4, 5])
        #expect(ticks(0...1) == [0, 1])
        #expect(ticks(0...20) == [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20])
        #expect(Axis("seconds", 0...1).ticks(atMost: 12).values.count > 2)
    }

    @Test func `A plot has its title, unit, legend, ticks and caption`() throws {
        var plot = Plot(
            "Delay", caption: "Good: low.", x: .time(0...120), y: Axis("delay", unit: "ms", 0...100),
            [
                .line("actual", .blue, [Mark.Point(0, 1), Mark.Point(1, 2)]),
                .scatter("frames", .red, [Mark.Point(1, 1)]),
            ])
        plot.shades = [10...20]
        let document = try MarkupDocument(plot.html.source)
        #expect(document.named("figcaption").map(\.text) == ["Delay, msactualframes"])
        #expect(
            document.named("text").map(\.text) == [
                "0:00", "0:20", "0:40", "1:00", "1:20", "1:40", "2:00", "0", "20", "40", "60", "80", "100", "min:s",
            ])
        #expect(document.named("p").map(\.text) == ["Good: low."])
        #expect(document.named("path").count { $0.attributes["class"] == "shade" } == 1)
    }

    @Test func `A plot can also be a separate file, with everything the page shows`() throws {
        let plot = Plot(
            "Freezes", x: Axis("added delay", unit: "ms", 0...100), y: Axis("freezes", 0...10),
            [.scatter("Rill & others", .blue, [Mark.Point(10, 1)])])
        let document = try MarkupDocument(plot.svg(width: 640))
        #expect(document.elements.first?.attributes["xmlns"] == "http://www.w3.org/2000/svg")
        #expect(document.elements.first?.attributes["width"] == "640")
        let texts = document.named("text").map(\.text)
        #expect(texts.prefix(2) == ["Freezes", "Rill & others"] && texts.contains("added delay, ms"))
        #expect(document.named("path").map { $0.attributes["d"] } == ["M10 5h0", "M100 108h0"])
        #expect(plot.svg() == plot.svg())
    }

    @Test func `A plot of nothing, and one of very many points, are plots`() throws {
        let empty = Plot("Nothing", x: .time(0...0), y: Axis("y", holding: []), [.line("none", .blue, [])])
        #expect(try MarkupDocument(empty.html.source).named("figure").count == 1)
        let points = (0..<200_000).map { Mark.Point(Double($0) / 20_000, Double($0 % 97)) }
        let full = Plot("Much", x: x, y: y, [.line("much", .blue, points), .scatter("more", .red, points)])
        #expect(full.html.source.utf8.count < 500_000)
    }
}

@Suite struct EventPlotTests {
    private let x = Axis.time(0...100)

    @Test func `Few events are separate marks, with time and count`() throws {
        let plot = EventPlot("Events", x: x, [.init("keys", .blue, events: [.init(1), .init(50, count: 3)])])
        let document = try MarkupDocument(plot.html.source)
        #expect(document.named("title").map(\.text) == ["keys, 0:01.00", "keys, 0:50.00, 3 times"])
        #expect(document.named("text").contains { $0.text == "keys 4" })
    }

    @Test func `Many events are bars, and the tallest has a label`() throws {
        let events = (0..<10_000).map { EventPlot.Event(Double($0 % 100) + 0.25, count: $0 % 100 == 7 ? 2 : 1) }
        let document = try MarkupDocument(EventPlot("Events", x: x, [.init("NACKs", .red, events: events)]).html.source)
        #expect(document.named("text").contains { $0.text == "NACKs 10100, tallest bar 200" })
        #expect(document.named("path").count == 1)
    }

    @Test func `Events beyond the axis are counted, not drawn`() throws {
        let plot = EventPlot(
            "Events", x: x, [.init("requests", .red, events: [.init(99), .init(101), .init(102, count: 2)])])
        let document = try MarkupDocument(plot.html.source)
        #expect(document.named("path").count == 1)
        #expect(document.named("text").contains { $0.text == "requests 4, 3 of them later" })
    }

    @Test func `The shortest stretch can be seen`() throws {
        let plot = EventPlot("Events", x: x, [.init("freezes", .red, stretches: [(50...50.0001, "half a blink")])])
        let document = try MarkupDocument(plot.html.source)
        #expect(document.named("path").first?.attributes["d"]?.hasPrefix("M500 15H501.5") == true)
    }
}

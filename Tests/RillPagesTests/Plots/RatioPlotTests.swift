import RillTestSupport
import Testing

@testable import RillPages

@Suite struct RatioPlotTests {
    @Test func `Twice as much lies as far from one as half as much`() {
        let scale = RatioScale(holding: [0.5, 2])
        #expect(abs(scale.place(1) - 0.5) < 1e-12)
        #expect(abs(scale.place(2) + scale.place(0.5) - 1) < 1e-12)
        #expect(scale.place(0.5) > 0 && scale.place(2) < 1)
    }

    @Test(arguments: [[1.0], [1.001, 1.02], [0.93, 1.04], [0.7, 1.4], [0.4, 3], [14.0], [0.001, 500], []])
    func `Ticks are round, rise, hold one, and are few enough to be read`(ratios: [Double]) {
        let scale = RatioScale(holding: ratios)
        let ticks = scale.ticks
        #expect(ticks.contains(1))
        #expect(ticks == ticks.sorted())
        #expect((1...11).contains(ticks.count), "\(ticks)")
        for ratio in ratios { #expect((0...1).contains(scale.place(ratio)), "\(ratio)") }
        #expect(RatioScale.text(1.05) == "1.05×" && RatioScale.text(0.25) == "0.25×" && RatioScale.text(8) == "8×")
    }

    private func plot(_ rows: [RatioPlot.Row]) throws -> MarkupDocument {
        let plot = RatioPlot("Costs <&>", caption: "less", reference: "Rill", [.init("CPU", rows), .init("none", [])])
        return try MarkupDocument(plot.html.source)
    }

    @Test func `A bar extends from one to its ratio, and the whisker over its range`() throws {
        let document = try plot([.init("A", .green, ratio: 2, 1.8...2.2, note: "2×")])
        let scale = RatioScale(holding: [2, 1.8, 2.2])
        let paths = document.named("path").compactMap { $0.attributes["d"] }
        func across(_ ratio: Double) -> String { Decimal.place(scale.place(ratio) * 1000) }
        #expect(paths.count == 2)
        #expect(paths[0].hasPrefix("M\(across(1)) ") && paths[0].contains("H\(across(2))V"))
        #expect(paths[1].hasPrefix("M\(across(1.8)) ") && paths[1].contains("H\(across(2.2))"))
        #expect(document.named("tspan").map(\.text) == ["A"])
        // A group without bars is not there.
        #expect(document.named("text").contains { $0.text == "none" } == false)
    }

    @Test func `One value has no whisker, and no bar is too short to be seen`() throws {
        let document = try plot([.init("B", .grey, ratio: 1, 1...1, note: "1×")])
        let paths = document.named("path").compactMap { $0.attributes["d"] }
        #expect(paths.count == 1)
        let scale = RatioScale(holding: [1])
        #expect(paths[0].contains("H\(Decimal.place(scale.place(1) * 1000 + 2))V"))
    }
}

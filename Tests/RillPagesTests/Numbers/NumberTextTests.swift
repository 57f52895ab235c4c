import Testing

@testable import RillPages

@Suite struct NumberTextTests {
    @Test(arguments: [
        (0.0, 0, "0"), (59.4, 0, "59"), (59.6, 0, "1:00"), (90, 0, "1:30"), (3599.9, 0, "1:00:00"),
        (7500, 0, "2:05:00"), (1.25, 2, "1.25"), (61.5, 1, "1:01.5"), (-90, 0, "-1:30"), (-0.1, 0, "0"),
        (.nan, 0, "–"), (.infinity, 2, "–"),
    ])
    func `Times are written as clocks show them`(seconds: Double, decimals: Int, text: String) {
        #expect(Clock.text(seconds, decimals: decimals) == text)
    }

    @Test func `Times are written with the unit of longer ones next to them`() {
        #expect(Clock.text(5, from: .minutes) == "0:05" && Clock.text(5.25, decimals: 1, from: .hours) == "0:00:05.3")
    }

    @Test(arguments: [
        (0.0, "0"), (1.04, "1"), (1.05, "1.1"), (-0.04, "0"), (-1.25, "-1.3"), (-0.5, "-0.5"), (1000, "1000"),
    ])
    func `Positions in a drawing have at most one decimal`(value: Double, text: String) {
        #expect(Decimal.place(value) == text)
    }
}

@Suite struct TicksTests {
    @Test(arguments: [
        (0.0...100.0, 6, [0.0, 20, 40, 60, 80, 100], 0), (0...945, 6, [0, 200, 400, 600, 800], 0),
        (0...0.9, 5, [0, 0.5], 1), (-3...3, 4, [-2, 0, 2], 0),
        (0...1e-3, 6, [0, 0.0002, 0.0004, 0.0006, 0.0008, 0.001], 4),
        (0...1_200_000, 3, [0, 1_000_000], 0),
    ])
    func `Ticks are round numbers`(range: ClosedRange<Double>, count: Int, values: [Double], decimals: Int) {
        let ticks = Ticks(range, atMost: count)
        #expect(ticks.values.count == values.count, "\(ticks.values)")
        for (tick, value) in zip(ticks.values, values) { #expect(abs(tick - value) <= 1e-9 * max(1, value)) }
        #expect(ticks.decimals == decimals)
    }

    @Test func `There is at least one, and at most the requested number`() {
        for exponent in -6...9 {
            for factor in [1.0, 1.3, 1.99, 2.01, 3.7, 4.99, 5.01, 7.3, 9.99] {
                var top = factor
                for _ in 0..<abs(exponent) { top = exponent < 0 ? top / 10 : top * 10 }
                for count in 2...12 {
                    let ticks = Ticks(0...top, atMost: count)
                    #expect((1...count).contains(ticks.values.count), "0...\(top) by \(count): \(ticks.values)")
                    let time = Ticks(time: 0...top, atMost: count)
                    #expect((1...count).contains(time.values.count), "time 0...\(top) by \(count): \(time.values)")
                }
            }
        }
    }

    @Test func `Times step by parts of minutes and hours`() {
        #expect(Ticks(time: 0...120, atMost: 12).values.prefix(3) == [0, 20, 40])
        #expect(Ticks(time: 0...3600, atMost: 12).values.prefix(3) == [0, 600, 1200])
        #expect(Ticks(time: 0...86_400, atMost: 12).values.prefix(3) == [0, 10_800, 21_600])
    }

    @Test func `Where there is little room every other tick stays, from zero on`() {
        let ticks = Ticks(0...10, atMost: 12)
        #expect(ticks.values.filter(ticks.isCoarse) == [0, 2, 4, 6, 8, 10])
    }
}

import Testing

@testable import RillCLI

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
}

import Testing

@testable import RillContainers

struct AwaitedStampsTests {
    /// Gives a decoder all packets, then takes these pictures: whether each was due, and whether all have come.
    private func check(_ packets: [Int64?], _ pictures: [Int64?]) -> (isDue: [Bool], isEmpty: Bool) {
        var awaited = AwaitedTimestamps()
        for packet in packets { _ = awaited.add(packet) }
        var isDue: [Bool] = []
        for picture in pictures { isDue.append(awaited.remove(picture)) }
        return (isDue, awaited.isEmpty)
    }

    @Test func `Pictures are returned in timestamp order, each once`() {
        #expect(check([0, 30, 10, 20], [0, 10, 20, 30]) == ([true, true, true, true], true))
        #expect(check([0, 30, 10, 20], [0, 10, 20]) == ([true, true, true], false))
    }

    @Test(arguments: [20, 0, nil] as [Int64?])
    func `A missing or repeated picture, or one without timestamp, is detected`(second: Int64?) {
        #expect(check([0, 10, 20], [0, second]).isDue == [true, false])
    }

    @Test func `A stream may start in the middle`() {
        #expect(check([0, 10, 20], [20]) == ([true], true))
    }

    @Test func `Without timestamps nothing is reported`() {
        #expect(check([nil, 5], [nil, 9]) == ([true, true], true))
    }

    @Test func `A picture that never comes is detected`() {
        var awaited = AwaitedTimestamps()
        var isPlausible: [Bool] = []
        for stamp: Int64 in 0...256 { isPlausible.append(awaited.add(stamp)) }
        #expect(isPlausible == [Bool](repeating: true, count: 256) + [false])
    }
}

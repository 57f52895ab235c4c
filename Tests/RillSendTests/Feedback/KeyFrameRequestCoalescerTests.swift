import RillCore
import RillSend
import Testing

@Suite struct KeyFrameRequestCoalescerTests {
    private func outcomes(window: MediaDuration, at milliseconds: [Int]) -> [Bool] {
        var coalescer = KeyFrameRequestCoalescer(window: window)
        return milliseconds.map { coalescer.request(at: .zero + .milliseconds($0)) == .honored }
    }

    @Test func `The first request is honoured, also before time zero`() {
        #expect(outcomes(window: .milliseconds(200), at: [0]) == [true])
        #expect(outcomes(window: .milliseconds(200), at: [-5000, -4999]) == [true, false])
    }

    @Test func `Requests within the window are the same request`() {
        #expect(
            outcomes(window: .milliseconds(200), at: [1000, 1000, 1001, 1199, 1200, 1201])
                == [true, false, false, false, true, false])
    }

    @Test func `Repeated requests are accepted once per window`() {
        let honored = outcomes(window: .milliseconds(200), at: Array(stride(from: 0, to: 2000, by: 50)))
        #expect(honored.count { $0 } == 10)
        #expect(honored.enumerated().allSatisfy { index, isHonored in isHonored == (index % 4 == 0) })
    }

    @Test func `No window honours every request`() {
        #expect(outcomes(window: .zero, at: [5, 5, 5]) == [true, true, true])
    }
}

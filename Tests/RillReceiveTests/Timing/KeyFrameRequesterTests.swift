import RillCore
import Testing

@testable import RillReceive

@Suite struct KeyFrameRequesterTests {
    private func spacing(roundTripTime: Int, frameInterval: MediaDuration...) -> MediaDuration {
        var requester = KeyFrameRequester(roundTripTime: .milliseconds(roundTripTime))
        #expect(requester.nextRequest == MediaTime(nanoseconds: .min), "the first request need not wait")
        for interval in frameInterval { requester.noteFrameInterval(interval) }
        requester.noteRequest(at: .milliseconds(1234))
        return requester.nextRequest - .milliseconds(1234)
    }

    @Test func requestsAreSpacedByTheLargestOfThree() {
        #expect(spacing(roundTripTime: 0) == .milliseconds(300))
        #expect(spacing(roundTripTime: 50, frameInterval: .milliseconds(33)) == .milliseconds(300))
        #expect(spacing(roundTripTime: 450, frameInterval: .milliseconds(100)) == .milliseconds(450))
        #expect(spacing(roundTripTime: 450, frameInterval: .milliseconds(200)) == .milliseconds(600))
    }

    @Test func pausesAndStepsBackAreNoFrameRate() {
        #expect(
            spacing(roundTripTime: 0, frameInterval: .milliseconds(200), .zero, .seconds(-1), .seconds(11))
                == .milliseconds(600))
    }
}

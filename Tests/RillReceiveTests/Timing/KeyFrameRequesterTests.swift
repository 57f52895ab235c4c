import RillCore
import Testing

@testable import RillReceive

@Suite struct KeyFrameRequesterTests {
    @Test(arguments: [(0, 33, 300), (50, 33, 300), (450, 100, 450), (450, 200, 600)])
    func `Requests are spaced by the largest of three`(roundTrip: Int, interval: Int, spacing: Int) {
        var requester = KeyFrameRequester(roundTripTime: .milliseconds(roundTrip))
        let interval = MediaDuration.milliseconds(interval)
        #expect(
            requester.nextRequest(frameInterval: interval) == MediaTime(nanoseconds: .min),
            "the first request need not wait")
        requester.noteRequest(at: .milliseconds(1234))
        let next = requester.nextRequest(frameInterval: interval)
        #expect(next == .milliseconds(Double(1234 + spacing)), "\(roundTrip) ms, a frame in \(interval)")
    }

    @Test func `Pauses and backward steps do not affect the frame rate`() {
        var interval = FrameInterval()
        for step in [MediaDuration.milliseconds(200), .zero, .seconds(-1), .seconds(11)] { interval.note(step) }
        #expect(interval.last == .milliseconds(200))
    }
}

import RillCore
import Testing

@testable import RillReceive

@Suite struct KeyFrameRequesterTests {
    @Test(arguments: [(0, 33, 300), (50, 33, 300), (450, 100, 450), (450, 200, 600), (0, 2000, 6000)])
    func `Requests are spaced by the largest of three`(roundTrip: Int, interval: Int, spacing: Int) {
        var requester = KeyFrameRequester(roundTripTime: .milliseconds(roundTrip))
        let interval = MediaDuration.milliseconds(interval)
        #expect(
            requester.nextRequest(frameInterval: interval, lastArrival: .zero) == MediaTime(nanoseconds: .min),
            "the first request need not wait")
        requester.noteRequest(at: .milliseconds(1234))
        let next = requester.nextRequest(frameInterval: interval, lastArrival: .milliseconds(1234))
        #expect(next == .milliseconds(Double(1234 + spacing)), "\(roundTrip) ms, a frame in \(interval)")
    }

    /// The times of the requests of somebody who asks as soon as it is allowed, while packets arrive.
    private func times(
        until end: MediaTime, roundTrip: MediaDuration = .zero, _ note: (inout KeyFrameRequester, MediaTime) -> Void
    ) -> [Double] {
        var requester = KeyFrameRequester(roundTripTime: roundTrip)
        var times: [Double] = []
        var now = MediaTime.zero
        while now < end {
            if requester.nextRequest(frameInterval: .milliseconds(33), lastArrival: now) <= now {
                requester.noteRequest(at: now)
                times.append((now - MediaTime.zero).seconds)
            }
            note(&requester, now)
            now = now + .milliseconds(10)
        }
        return times
    }

    @Test func `Without a usable key frame the interval grows to 4 s`() {
        let unanswered = times(until: .zero + .seconds(18)) { _, _ in }
        #expect(unanswered == [0, 0.3, 0.6, 1.2, 2.4, 4.8, 8.8, 12.8, 16.8])
        // Frames that do not parse are no answer, and key frames behind which everything fails are none either.
        let useless = times(until: .zero + .seconds(18)) { requester, now in
            requester.noteKeyFrame(at: now)
            requester.noteFailure(at: now)
        }
        #expect(useless == unanswered)
    }

    @Test func `A usable key frame resets the interval`() {
        // Nothing is usable for five seconds; then everything is.
        let times = times(until: .zero + .seconds(12)) { requester, now in
            if now > .zero + .seconds(5) { requester.noteKeyFrame(at: now) }
        }
        #expect(times.prefix(6) == [0, 0.3, 0.6, 1.2, 2.4, 4.8])
        #expect(times.dropFirst(7).allSatisfy { time in times.contains { abs(time - $0 - 0.3) < 0.011 } })
        #expect(times.count > 25)
    }

    @Test func `A failure long after a key frame does not make it useless`() {
        var requester = KeyFrameRequester(roundTripTime: .zero)
        for _ in 0..<6 { requester.noteRequest(at: .zero) }
        requester.noteKeyFrame(at: .zero)
        requester.noteFailure(at: .zero + .seconds(1))
        #expect(requester.nextRequest(frameInterval: .zero, lastArrival: .zero) == .zero + .milliseconds(300))
        requester.noteRequest(at: .zero + .seconds(1))
        requester.noteKeyFrame(at: .zero + .seconds(1))
        requester.noteFailure(at: .zero + .milliseconds(1999))
        // That one does, but it is the first.
        #expect(
            requester.nextRequest(frameInterval: .zero, lastArrival: .zero + .seconds(1))
                == .zero + .milliseconds(1300))
    }

    @Test func `The interval is never shorter than the round trip`() {
        let times = times(until: .zero + .seconds(60), roundTrip: .seconds(5)) { _, _ in }
        #expect(times == [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55])
    }

    @Test func `A stream that has stopped is asked once more`() {
        var requester = KeyFrameRequester(roundTripTime: .zero)
        let last = MediaTime.zero + .seconds(10)
        var times: [MediaTime] = []
        var now = last
        while now < last + .seconds(60) {
            if requester.nextRequest(frameInterval: .milliseconds(200), lastArrival: last) <= now {
                requester.noteRequest(at: now)
                times.append(now)
            }
            now = now + .milliseconds(10)
        }
        #expect(times.count { $0 >= last + KeyFrameRequester.stopTimeout } == 1)
        // It is back.
        #expect(requester.nextRequest(frameInterval: .milliseconds(200), lastArrival: now) <= now)
    }

    @Test func `Pauses and backward steps do not affect the frame rate`() {
        var interval = FrameInterval()
        for step in [MediaDuration.milliseconds(200), .zero, .seconds(-1), .seconds(11)] { interval.note(step) }
        #expect(interval.last == .milliseconds(200))
    }
}

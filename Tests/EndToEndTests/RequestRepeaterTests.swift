import RillCore
import Testing

@testable import Rill
@testable import RillReceive

struct RequestRepeaterTests {
    /// The times, in milliseconds, at which a request of time zero is repeated.
    private func times(
        count: Int, roundTrip: Int, jitter: Int = 0, isInVain: Bool = false
    ) -> [Double] {
        var repeater = RequestRepeater(count: count)
        repeater.note(roundTripTime: .milliseconds(roundTrip), jitter: .milliseconds(jitter))
        repeater.begin(isInVain: isInVain, at: .zero)
        var times: [Double] = []
        while repeater.nextTime < .distantFuture, times.count < 100 {
            let now = repeater.nextTime
            let (early, due, again) = (
                repeater.isDue(at: now - MediaDuration(nanoseconds: 1)), repeater.isDue(at: now),
                repeater.isDue(at: now)
            )
            #expect(!early && due && !again)
            times.append((now - .zero).milliseconds)
        }
        return times
    }

    @Test func `A request is repeated over five eighths of a round trip`() {
        #expect(times(count: 5, roundTrip: 80) == [10, 20, 30, 40, 50])
        #expect(times(count: 5, roundTrip: 320) == [40, 80, 120, 160, 200])
    }

    @Test func `After a failed round, twice as often`() {
        #expect(times(count: 5, roundTrip: 160, isInVain: true) == (1...10).map { Double($0) * 10 })
    }

    @Test func `Not closer together than five milliseconds`() {
        #expect(times(count: 6, roundTrip: 24) == [5, 10, 15])
        #expect(times(count: 6, roundTrip: 0) == [])
    }

    @Test func `What scatters has its last repetition earlier`() {
        #expect(times(count: 4, roundTrip: 160, jitter: 40) == [15, 30, 45, 60])
        #expect(times(count: 4, roundTrip: 160, jitter: 500) == [10, 20, 30, 40])
    }

    @Test func `Without repetitions there are none`() {
        #expect(times(count: 0, roundTrip: 100) == [])
        var repeater = RequestRepeater(count: 3)
        repeater.note(roundTripTime: .milliseconds(100), jitter: .zero)
        repeater.begin(isInVain: false, at: .zero)
        repeater.end()
        #expect(repeater.nextTime == .distantFuture)
    }

    // MARK: In a call

    private static func call(
        _ copies: Int, frames: Int = 300, back: String? = nil, playoutDelay: MediaDuration = .milliseconds(300)
    ) throws -> RepairedCall {
        var random = SeededGenerator(seed: 11)
        var repair = RepairedCall.Repair()
        repair.requestCopies = copies
        return try RepairedCall(
            frames: frames, network: "delay=40ms", back: back, repair, playoutDelay: .fixed(playoutDelay)
        ) { frame, _, _ in
            frame < frames - 10 && Int(random.next() >> 33) % 100 < 5
        }
    }

    @Test func `Repetitions bring no packet twice`() throws {
        let (once, repeated) = (try Self.call(0), try Self.call(6))
        #expect(once.lost == repeated.lost && once.lost.count > 20)
        // Or hardly any: one of eighty.
        #expect(repeated.statistics.stream.retransmittedPacketsSent <= repeated.lost.count + 1)
        // Each goes on until its packet comes, or for five eighths of a round trip.
        #expect(repeated.requests.count > once.requests.count * 5)
        #expect(repeated.requests.count <= once.requests.count * 7)
        #expect(repeated.received.stream.nackCount == once.received.stream.nackCount)
    }

    @Test(arguments: ["loss=50%,delay=40ms", "burst=30%/4,delay=40ms"])
    func `A return path that loses much delays little`(back: String) throws {
        // Time enough for a request and its answer, and not for two.
        let delay = MediaDuration.milliseconds(130)
        let (once, repeated) = (
            try Self.call(0, back: back, playoutDelay: delay), try Self.call(6, back: back, playoutDelay: delay)
        )
        let (late, now) = (once.received.stream.framesRepairedLate, repeated.received.stream.framesRepairedLate)
        #expect(late > 5 && now <= late / 3, "\(late) without, \(now) with")
        #expect(repeated.received.framesShown >= once.received.framesShown)
    }
}

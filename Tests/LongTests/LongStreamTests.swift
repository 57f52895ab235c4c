import Glibc
import RillCore
import RillReceive
import RillTestSupport
import Testing

/// A day of video: the clocks run apart, every counter wraps, the sender pauses, and nothing creeps.
struct LongStreamTests {
    private static let skews = [-0.0002, 0.0002]

    // Each in a process of its own: memory is what the whole process takes.

    @Test(arguments: skews)
    func `A day of a thumbnail stream`(skew: Double) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [skew] in
            try expectNoCreep(DayOfVideo(frameRate: 5, packetsPerFrame: 1, hours: isLongRun ? 24 : 6, skew: skew))
        }
        if let output = result?.standardOutputContent { print(String(decoding: output, as: UTF8.self)) }
    }

    @Test(arguments: skews)
    func `A day of a call`(skew: Double) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [skew] in
            try expectNoCreep(DayOfVideo(frameRate: 30, packetsPerFrame: 2, hours: isLongRun ? 24 : 3, skew: skew))
        }
        if let output = result?.standardOutputContent { print(String(decoding: output, as: UTF8.self)) }
    }
}

private func expectNoCreep(_ day: DayOfVideo) throws {
    let outcome = try day.run()
    let statistics = outcome.statistics
    let (second, last) = (outcome.median(ofHour: 1), outcome.median(ofHour: day.hours - 1))
    let worst = outcome.comebacks.max() ?? .zero
    print(
        """
        \(day.frameRate) fps, \(day.skew * 1e6) ppm, \(day.hours) h: median delay \(second) ms in hour 2, \(last) ms in \
        the last; skew \(statistics.clockSkew * 1e6) ppm; worst comeback \(worst); \(outcome.framesShown) of \
        \(outcome.framesSent) shown; at most \(outcome.occupancy.max() ?? 0) packets held; \(statistics.nackCount) NACKs
        """)
    #expect(abs(last - second) < 2)
    #expect(abs(statistics.clockSkew - day.skew) < 0.000_020)
    #expect(outcome.isInOrder)

    // No stall. A frame that is lost on its return is missed when the next one comes, and asked for; it is shown as
    // long after that as any other.
    let interval = MediaDuration.seconds(1 / Double(day.frameRate))
    #expect(outcome.comebacks.count == day.hours)
    let usual = DayOfVideo.fastestWay + MediaDuration.seconds(last / 1000)
    #expect(worst <= usual + interval + DayOfVideo.roundTripTime, "\(worst)")
    #expect(outcome.keyFrameRequests == 0 && statistics.pliCount == 0)
    #expect(statistics.resynchronizations == day.hours / 2)
    #expect(statistics.drops.total == 0)
    #expect(outcome.framesSent - statistics.jitterBufferEmittedCount <= 10)
    #expect(outcome.framesShown * 1000 >= outcome.framesSent * 995)

    // No growth.
    let mostPackets = outcome.occupancy.max() ?? 0
    #expect(mostPackets <= 32, "\(outcome.occupancy)")
    guard !isAddressSanitized else { return }
    let growth = (outcome.residentBytes.last ?? 0) - outcome.residentBytes[1]
    // What is kept of the hours that are compared, the last one's delays, is the test's own.
    let delayBytes = 2 * 8 * (outcome.delays[day.hours - 1]?.count ?? 0)
    #expect(growth < 1 << 20 + delayBytes, "\(outcome.residentBytes)")
}

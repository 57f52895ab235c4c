import RillCore
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

@testable import RillForward

/// Seventeen people who come and go, on networks that lose packets and are too narrow, in virtual time.
@Suite struct RoomTests {
    /// With --all fifty seeds of ten minutes.
    private static let runs: [(seed: UInt64, seconds: Int)] =
        isLongRun ? (1...50).map { ($0, 600) } : (1...10).map { ($0, 30) } + [(11, 300)]

    @Test(arguments: runs)
    func `Everybody sees whole pictures of whom they want, as far as their network carries them`(
        seed: UInt64, seconds: Int
    ) throws {
        let crowd = try Crowd(seed: seed)
        try crowd.run(changing: .seconds(seconds))
        try crowd.run(5000)
        #expect(crowd.changeCount >= seconds * 2 / 3, "\(crowd.changeCount)")
        for guest in crowd.all { expectWhole(guest, in: crowd, seed) }
        expectShown(in: crowd, seed)
        expectWaits(in: crowd, seed)
        expectUse(in: crowd, seed)
    }

    private func expectWhole(_ guest: Crowd.Guest, in crowd: Crowd, _ seed: UInt64) {
        let name = "\(guest.name), seed \(seed)"
        #expect(guest.left != nil || guest.client.end.failure == nil, "\(name)")
        #expect(guest.undecodableFrames == 0, "\(name): \(guest.undecodableFrames) of \(guest.client.frames.count)")
        // A publisher is asked for a key frame of a layer at most once a second.
        let most = Int((guest.left ?? crowd.room.now).seconds - guest.joined.seconds) + 2
        for (stream, count) in guest.client.end.keyFrameRequests {
            #expect(count <= most, "\(name), \(stream): \(count) in \(most) s")
        }
    }

    private func expectShown(in crowd: Crowd, _ seed: UInt64) {
        for guest in crowd.guests where crowd.room.now - guest.joined > .seconds(10) {
            let (shown, wanted) = (crowd.shown(guest), crowd.wanted(guest))
            let name = "\(guest.name), seed \(seed): \(shown) of \(wanted)"
            switch guest.kind {
            case .usual, .unparseable:
                #expect(shown.high >= wanted.high - 1, "\(name)")
                #expect(shown.high + shown.low >= wanted.high + wanted.low - 2, "\(name)")
            case .narrow:
                // 600 kbit/s carry at most twelve of the sixteen. The large layer of the guest without feedback may be
                // as cheap as small ones. Some seeds show fewer than five: see the note on holds below.
                #expect(shown.high <= 1, "\(name)")
                withKnownIssue(isIntermittent: true) {
                    #expect(shown.high + shown.low >= 5, "\(name)")
                }
            case .withoutFeedback:
                // With reports alone, chance losses of 2 % keep the rate low.
                withKnownIssue(isIntermittent: true) {
                    #expect(shown.high + shown.low >= 3, "\(name)")
                }
            }
        }
    }

    private func expectWaits(in crowd: Crowd, _ seed: UInt64) {
        let waits = crowd.all.flatMap(\.waits).sorted()
        guard let longest = waits.last else {
            Issue.record("seed \(seed): nobody has waited")
            return
        }
        let late = waits[waits.count * 95 / 100]
        note("seed \(seed): \(waits.count) waits for key frames, 95 % within \(late), all within \(longest)")
        // Two round trips of 40 ms, and 600 ms.
        #expect(waits.count > 100 && late <= .milliseconds(680), "seed \(seed): \(late)")
    }

    private func expectUse(in crowd: Crowd, _ seed: UInt64) {
        let samples = crowd.all.flatMap(\.samples)
        let (used, optimal) = samples.reduce(into: (0.0, 0.0)) { sum, sample in
            sum.0 += min(sample.used, sample.optimal)
            sum.1 += sample.optimal
        }
        #expect(used >= 0.9 * optimal, "seed \(seed): \(used / optimal)")
        // Those that an unlimited estimate would allow.
        let (got, ideal) = samples.reduce(into: (0.0, 0.0)) { sum, sample in
            sum.0 += min(sample.used, sample.ideal)
            sum.1 += sample.ideal
        }
        let windows = crowd.all.flatMap { $0.seconds }
        let excess = windows.count { $0 > 1 }
        let narrow = crowd.guests.filter { $0.kind == .narrow }.flatMap(\.carried)
        let (shown, carried) = narrow.reduce(into: (0, 0)) { $0 = ($0.0 + $1.shown, $0.1 + $1.carried) }
        let probes = crowd.all.reduce(0) { $0 + $1.probed }
        let media = crowd.all.reduce(0) { $0 + $1.sent }
        note(
            """
            seed \(seed): used \(used / optimal) of what the estimates allow, \(got / ideal) of what the links do; \
            \(excess) of \(windows.count) seconds above the estimate, at most \(windows.max() ?? 0); probes \
            \(probes / media); narrow networks show \(shown) of \(carried) small pictures
            """)
        #expect(probes <= 0.05 * media, "seed \(seed): \(probes / media)")
        // Not met for those on narrow networks and without feedback: a pacer is faster than the estimate.
        withKnownIssue(isIntermittent: true) {
            #expect(excess == 0, "seed \(seed): \(excess) of \(windows.count), at most \(windows.max() ?? 0)")
        }
        // Not met: a hold after a fall keeps out pictures that the estimate carries with 15 % to spare.
        withKnownIssue(isIntermittent: true) {
            #expect(shown == carried, "seed \(seed): \(shown) of \(carried)")
        }
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `Without loss nobody waits for a key frame longer than a round trip and 300 ms`(seed: UInt64) throws {
        let crowd = try Crowd(seed: seed, loss: 0, [])
        try crowd.run(changing: .seconds(20))
        let waits = crowd.all.flatMap(\.waits)
        note("seed \(seed): \(waits.count) waits, all within \(waits.max() ?? .zero)")
        #expect(waits.count > 100 && waits.allSatisfy { $0 <= .milliseconds(340) })
    }

    @Test(arguments: 1...(isLongRun ? 50 : 3) as ClosedRange<UInt64>)
    func `Where a link opens from 600 kbit per s to 5 Mbit per s, all large pictures are back and stay`(
        seed: UInt64
    ) throws {
        let crowd = try Crowd(seed: seed, loss: 2, [.narrow])
        let guest = crowd.guests[0]
        try crowd.run(20_000)
        #expect(crowd.shown(guest).high == 0)
        try crowd.room.setLink("rate=5M,delay=20ms,queue=200ms,loss=2%", of: guest.client.address)
        let start = crowd.room.now
        var back: MediaDuration?
        var absences = 0
        for _ in 0..<680 {
            try crowd.run(100)
            if crowd.largeCount(guest) == 4 {
                back = back ?? crowd.room.now - start
            } else if back != nil {
                absences += 1
            }
        }
        note("seed \(seed): all back after \(back.map { "\($0)" } ?? "never"), \(absences) tenths of a second without")
        #expect(back != nil && absences == 0)
        // Not met each time: a probe of which a packet is lost costs two seconds.
        withKnownIssue(isIntermittent: true) {
            #expect(back.map { $0 <= .seconds(8) } == true)
        }
        #expect(crowd.shown(guest).high == 4)
    }

    @Test func `The same seed gives the same frames at the same times`() throws {
        func frames() throws -> [String] {
            let crowd = try Crowd(seed: 5)
            try crowd.run(changing: .seconds(5))
            return crowd.all.flatMap { guest in
                guest.client.frames.map { received in
                    let time = ForwardNetwork.Client.arrival(received).nanoseconds
                    return "\(guest.name) \(time) \(received.frame.number) \(received.frame.byteCount)"
                }
            }.sorted()
        }
        let (first, second) = (try frames(), try frames())
        #expect(first.count > 1000 && first == second)
    }
}

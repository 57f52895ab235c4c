import RillCore
import RillLink
import Testing

@Suite struct EmulatedLinkTests {
    @Test func `It delivers everything, at once and in order, on a clean link`() {
        let run = LinkRun(.clean, count: 1000) { $0 % 1500 }
        #expect(run.deliveries.map(\.sequence) == Array(0..<1000))
        #expect(run.deliveries.allSatisfy { $0.arrival == $0.sendTime && !$0.isCopy && !$0.isHeldBack })
        #expect(run.contents == (0..<1000).map { [$0 % 1500 == 0 ? 0 : $0 % 256, $0 % 1500] })
    }

    @Test func `It delivers nothing before its time`() throws {
        let link = EmulatedLink(try LinkSettings(delay: .milliseconds(40)))
        var datagram: [UInt8] = [9]
        #expect(link.nextArrival == nil)
        #expect(link.poll(at: .distantFuture, into: &datagram) == nil)
        let sent = link.send([1, 2, 3].span, at: .zero)
        let due = MediaTime.zero + .milliseconds(40)
        #expect(sent == .queued(arrival: due, copyArrival: nil, isCorrupted: false))
        #expect(link.nextArrival == due)
        #expect(link.countInFlight == 1)
        #expect(link.poll(at: due - MediaDuration(nanoseconds: 1), into: &datagram) == nil)
        #expect(datagram == [9], "an empty poll leaves the buffer alone")
        let delivery = try #require(link.poll(at: due, into: &datagram))
        #expect(delivery.sequence == 0 && delivery.arrival == due && datagram == [1, 2, 3])
        #expect(link.nextArrival == nil && link.countInFlight == 0)
    }

    @Test(arguments: 1...20)
    func `It gives the same trace for the same seed`(seed: UInt64) throws {
        let settings = try LinkSettings(
            notation: "loss=5%,delay=40ms,jitter=10ms,reorder=5%,duplicate=5%,rate=2M,seed=\(seed)")
        let run = LinkRun(settings, count: 2000) { 100 + $0 % 1100 }
        #expect(run == LinkRun(settings, count: 2000) { 100 + $0 % 1100 })
        #expect(run != LinkRun(settings.seeded(seed + 1), count: 2000) { 100 + $0 % 1100 })
    }

    /// Numbers written down once: the trace must not change from machine to machine or from one version to the next.
    @Test func `It gives the trace that it has always given`() throws {
        let settings = try LinkSettings(notation: "loss=20%,delay=40ms,jitter=10ms,reorder=20%,duplicate=20%,seed=7")
        let run = LinkRun(settings, count: 12)
        let trace = run.deliveries.map { "\($0.sequence)\($0.isCopy ? "'" : "")@\($0.arrival.nanoseconds)" }
        #expect(
            trace == [
                "0@29492682", "1@41451849", "2@41451849", "3@41451849", "4@41641548", "6@47811136", "6'@48811136",
                "8@60918043", "10@60918043", "11@60918043", "8'@61918043", "7@100918043", "7'@101918043",
            ])
    }

    @Test func `It gives the trace of every impairment that it has always given`() throws {
        let settings = try LinkSettings(
            notation: "burst=20%/2,blackout=4ms@12ms,delay=40ms,jitter=10ms,spikes=20ms/30ms,wifi=1ms/9ms,"
                + "order=by-delay,duplicate=20%,duplicate-delay=3ms,corrupt=30%,rate=400k/200k@10ms,seed=7")
        let run = LinkRun(settings, count: 24)
        let trace = run.outcomes.map { outcome in
            switch outcome {
            case .queued(let arrival, let copyArrival, let isCorrupted):
                [arrival, copyArrival].map { $0.map { "\($0.nanoseconds)" } ?? "" }.joined(separator: "+")
                    + (isCorrupted ? "!" : "")
            case .lost(let reason): "\(reason)"
            }
        }
        #expect(
            trace == [
                "39635185+", "50594352+!", "44716145+", "46676884+", "47784051+", "blackout", "60854330+63854330",
                "96562386+99562386", "77739646+80739646", "85838075+!", "81262034+!", "81995024+", "91582619+",
                "79864938+", "90073295+93073295!", "burst", "88678087+!", "123161921+", "82898571+", "117020020+",
                "141928902+", "burst", "burst", "burst",
            ])
    }

    @Test(arguments: 1...20)
    func `It keeps count of every datagram`(seed: UInt64) throws {
        let settings = try LinkSettings(
            notation:
                "loss=10%,burst=5%/3,blackout=50ms@1s,delay=40ms,jitter=20ms,reorder=10%,duplicate=10%,corrupt=1%,"
                + "rate=800k/600k@2s,queue=50ms,seed=\(seed)")
        let run = LinkRun(settings, count: 3000) { 50 + $0 % 150 }
        let statistics = run.statistics
        #expect(statistics.sent == 3000)
        #expect(statistics.droppedByQueue > 100 && statistics.lost > 100 && statistics.copied > 100)
        let dropped = statistics.lost + statistics.droppedByQueue + statistics.refused
        #expect(statistics.sent + statistics.copied == dropped + statistics.delivered)
        #expect(statistics.delivered == run.deliveries.count)
        #expect(run.leftOver == 0, "every slot is free again")
        #expect(statistics.deliveredBytes == run.contents.reduce(0) { $0 + $1[1] })
        #expect(statistics.lostRandomly == run.lostCount)
        #expect(statistics.copied == run.deliveries.count(where: \.isCopy))
        #expect(statistics.heldBack == run.deliveries.count { $0.isHeldBack && !$0.isCopy })
    }

    @Test func `It delivers as it promised when it took`() throws {
        let settings = try LinkSettings(
            notation: "loss=5%,delay=40ms,jitter=10ms,reorder=5%,duplicate=5%,rate=2M,seed=3")
        let run = LinkRun(settings, count: 3000)
        var promised: [[Int64]] = []
        for (sequence, outcome) in run.outcomes.enumerated() {
            guard case .queued(let arrival, let copyArrival, _) = outcome else { continue }
            promised.append([arrival.nanoseconds, Int64(sequence), 0])
            if let copyArrival { promised.append([copyArrival.nanoseconds, Int64(sequence), 1]) }
        }
        let came = run.deliveries.map { [$0.arrival.nanoseconds, Int64($0.sequence), $0.isCopy ? 1 : 0] }
        #expect(Set(came) == Set(promised) && came.count == promised.count)
        #expect(zip(run.deliveries, run.deliveries.dropFirst()).allSatisfy { $0.arrival <= $1.arrival })
        #expect(zip(run.deliveries, run.contents).allSatisfy { $1 == [$0.sequence % 256, 100] })
    }

    @Test func `It takes no time before an earlier one`() throws {
        let link = EmulatedLink(try LinkSettings(delay: .milliseconds(5)))
        link.send([1].span, at: .zero + .seconds(1))
        let late = link.send([2].span, at: .zero)
        #expect(late == .queued(arrival: .zero + .milliseconds(1005), copyArrival: nil, isCorrupted: false))
    }

    @Test func `It rejects packets larger than a datagram`() {
        let link = EmulatedLink(.clean)
        let largest = [UInt8](repeating: 1, count: EmulatedLink.maximumDatagramSize)
        #expect(link.send(largest.span, at: .zero) == .queued(arrival: .zero, copyArrival: nil, isCorrupted: false))
        #expect(link.send((largest + [1]).span, at: .zero) == .lost(.tooLarge(byteCount: 65_508)))
        #expect(link.send([UInt8]().span, at: .zero) == .queued(arrival: .zero, copyArrival: nil, isCorrupted: false))
        var datagram: [UInt8] = []
        #expect(link.poll(at: .zero, into: &datagram) != nil && datagram == largest)
        #expect(link.poll(at: .zero, into: &datagram) != nil && datagram.isEmpty)
        #expect(link.poll(at: .zero, into: &datagram) == nil)
    }

    @Test(arguments: [(1, 65_536), (65_000, 1032)])
    func `It holds a bounded amount`(size: Int, most: Int) {
        let link = EmulatedLink(.clean)
        let bytes = [UInt8](repeating: 1, count: size)
        for _ in 0..<most {
            #expect(link.send(bytes.span, at: .zero) == .queued(arrival: .zero, copyArrival: nil, isCorrupted: false))
        }
        #expect(link.send(bytes.span, at: .zero) == .lost(.linkFull))
        var datagram: [UInt8] = []
        #expect(link.poll(at: .zero, into: &datagram) != nil)
        #expect(link.send(bytes.span, at: .zero) == .queued(arrival: .zero, copyArrival: nil, isCorrupted: false))
        #expect(link.statistics.refused == 1 && link.countInFlight == most)
    }
}

import RillCore
import RillTestSupport
import Testing

@testable import Rill

/// Losses are repaired: exactly those, and no more is retransmitted than was lost.
struct RepairedCallTests {
    private static func random(_ percent: Int, seed: UInt64) -> () -> Bool {
        var random = SeededGenerator(seed: seed)
        return { Int(random.next() >> 33) % 100 < percent }
    }

    @Test(arguments: VideoCodec.allCases, [true, false])
    func `What is lost is NACKed once and retransmitted`(codec: VideoCodec, usesRTX: Bool) throws {
        let isUnlucky = Self.random(5, seed: 4)
        // The last packets of the call have none behind them that would show their loss at once.
        let call = try RepairedCall(codec, RepairedCall.Repair(usesRTX: usesRTX)) { frame, _, _ in
            isUnlucky() && frame < 140
        }
        #expect(call.lost.count > 10)
        // A report that leaves within the round trip repeats what has not come yet.
        #expect(call.requests.filter { !$0.isWithReport }.flatMap(\.numbers) == call.lost)
        let repeated = call.requests.filter(\.isWithReport).flatMap(\.numbers)
        #expect(repeated.allSatisfy(call.lost.contains) && repeated.count <= 5)
        #expect(call.statistics.stream.retransmittedPacketsSent == call.lost.count)
        // When the call is over, its next frames are late.
        let refused = call.statistics.stream.refusedRetransmissions
        #expect(refused.total == refused.neverSent + refused.tooSoon && refused.tooSoon == repeated.count)
        #expect(call.received.framesShown == 150 && call.received.stream.pliCount == 0)
        #expect(call.received.repair.retransmittedPacketsReceived == (usesRTX ? call.lost.count : 0))
        #expect(call.received.stream.packetsDuplicated == 0 && call.received.repair.malformedPackets == 0)
        #expect(call.received.stream.packetsLost == (usesRTX ? call.lost.count : 0))
    }

    @Test(arguments: VideoCodec.allCases)
    func `One loss a frame is repaired by its FEC packet alone`(codec: VideoCodec) throws {
        var random = SeededGenerator(seed: 8)
        var (current, victim) = (-1, 0)
        let repair = RepairedCall.Repair(usesNACK: false, fec: .percent(20))
        let call = try RepairedCall(codec, repair) { frame, place, _ in
            if frame != current { (current, victim) = (frame, Int(random.next() >> 33) % 6) }
            return place == victim
        }
        #expect(call.lost.count > 50)
        #expect(call.received.repair.packetsRecovered == call.lost.count)
        #expect(call.received.repair.fecPacketsReceived == call.sent.count { $0.isFEC && !$0.isLost })
        #expect(call.received.repair.malformedPackets == 0)
        #expect(call.received.framesShown == 150 && call.received.stream.pliCount == 0)
        #expect(call.requests.isEmpty && call.statistics.stream.retransmittedPacketsSent == 0)
    }

    @Test(arguments: VideoCodec.allCases, [2, 10])
    func `Together they repair bursts`(codec: VideoCodec, percent: Int) throws {
        var burst = 0
        let isUnlucky = Self.random(percent, seed: UInt64(percent))
        let call = try RepairedCall(codec, RepairedCall.Repair(fec: .percent(20))) { frame, _, _ in
            if burst == 0, frame < 140, isUnlucky() { burst = 3 }
            defer { burst = max(0, burst - 1) }
            return burst > 0
        }
        #expect(call.lost.count > 10)
        #expect(call.received.framesShown == 150 && call.received.stream.pliCount == 0)
        let repair = call.received.repair
        // Everything came back one way or the other; some both ways, which the buffer sees as duplicates.
        let restored = repair.packetsRecovered + repair.retransmittedPacketsReceived
        #expect(restored >= call.lost.count)
        #expect(restored - call.lost.count <= call.received.stream.packetsDuplicated)
        #expect(repair.packetsRecovered > 0 && repair.retransmittedPacketsReceived > 0 && repair.malformedPackets == 0)
        // What its FEC packet brings with the same frame is not asked for.
        // But a frame that is late is asked for, and few of those come by themselves.
        let lost = Set(call.sent.filter(\.isLost).map(\.number))
        let asked = Set(call.requests.flatMap(\.numbers))
        #expect(asked.intersection(lost).count < lost.count)
        #expect(asked.subtracting(lost).count * 20 <= asked.count, "\(asked.subtracting(lost)) of \(asked.count)")
        // An FEC packet is not retransmitted, however often it is NACKed.
        #expect(call.statistics.stream.retransmittedPacketsSent <= call.lost.count)
    }

    @Test(arguments: VideoCodec.allCases, [1, 2] as [UInt64])
    func `Loss both ways is repaired too`(codec: VideoCodec, seed: UInt64) throws {
        let network = "loss=2%,delay=20ms,jitter=5ms,seed=\(seed)"
        let none = RepairedCall.Repair(usesRTX: false, usesNACK: false)
        let bare = try RepairedCall(codec, frames: 300, network: network, none)
        let asked = try RepairedCall(codec, frames: 300, network: network)
        let protected = try RepairedCall(
            codec, frames: 300, network: network, RepairedCall.Repair(usesNACK: false, fec: .percent(20)))
        let both = try RepairedCall(codec, frames: 300, network: network, RepairedCall.Repair(fec: .percent(20)))
        #expect(bare.received.framesShown < 290 && bare.received.stream.pliCount > 3)
        // FEC alone lives with what two losses in a frame leave.
        #expect(protected.received.framesShown > bare.received.framesShown)
        #expect(protected.received.stream.pliCount < bare.received.stream.pliCount)
        for call in [asked, both] {
            #expect(call.received.framesShown >= 298, "\(call.received.framesShown)")
            #expect(call.received.stream.pliCount == 0)
        }
        #expect(both.statistics.stream.retransmittedPacketsSent < asked.statistics.stream.retransmittedPacketsSent)
    }
}

import Rill
import RillCore
import RillSecurity
import RillTestSupport
import RillTransport
import Testing

/// How often a call asks the system for packets: what each of them costs beside its own work.
@Suite(.serialized) struct CallRhythmTests {
    /// How packets come.
    enum Rhythm: CaseIterable {
        /// One each 2 ms.
        case even
        /// Twenty at once, each 33 ms, as those of a large frame.
        case bursts

        var packetCount: Int { self == .even ? 1 : 20 }
        var pause: MediaDuration { self == .even ? .milliseconds(2) : .milliseconds(33) }
        /// Calls that receive or wait, for each packet.
        var mostCalls: Double { self == .even ? 1.1 : 0.25 }
    }

    @Test(arguments: Rhythm.allCases, [false, true])
    func `A packet takes few calls of the system`(_ rhythm: Rhythm, isProtected: Bool) async throws {
        let key = isProtected ? SRTPKey.generate() : nil
        let (near, far) = try (
            UDPSocket(boundTo: UDPAddress(.loopback, port: 0)), UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        )
        let start = ContinuousClock.now
        let call = try VideoCall(source: nil)
        try call.connect(to: near.localAddress, over: far, key: key)
        var packets = try Packets(key)
        let count = 400
        // By the schedule, not by pauses: sleeps that last longer on a busy machine would add a session's own wake-ups
        // to each packet.
        var departure = ContinuousClock.now
        for _ in 0..<(count / rhythm.packetCount) {
            var outgoing = OutgoingDatagrams()
            for _ in 0..<rhythm.packetCount { try packets.append(to: &outgoing, for: far.localAddress) }
            #expect(near.send(&outgoing) == .sent)
            departure += .nanoseconds(rhythm.pause.nanoseconds)
            try await Task.sleep(until: departure)
        }
        let haveCome = try await eventually { far.statistics.received >= count }
        let statistics = far.statistics
        // A line without packets wakes once in 1024 ms: where a busy machine has the test last minutes, that is no
        // packet's. But half of the calls are looked at in any case.
        let idle = min(Int((ContinuousClock.now - start).components.seconds) + 1, statistics.receiveCalls / 2)
        await call.end()
        #expect(haveCome && statistics.received == count, "\(statistics)")
        let calls = Double(statistics.receiveCalls + statistics.waitCalls - idle) / Double(count)
        note("\(rhythm), \(isProtected ? "protected" : "in the clear"): \(calls) calls a packet")
        #expect(calls <= rhythm.mostCalls, "\(calls) a packet: \(statistics)")
        let them = try #require(call.statistics.participants.first)
        #expect(them.session.transport.packetsReceived == count, "all of them reach the session: \(them)")
    }

    /// Packets of one source, one number after the other.
    private struct Packets: ~Copyable {
        private var protector: SRTPProtector?
        private var number: UInt16 = 0

        init(_ key: SRTPKey?) throws {
            if let key { protector = try SRTPProtector(key) }
        }

        mutating func append(to outgoing: inout OutgoingDatagrams, for address: UDPAddress) throws {
            number += 1
            let packet: [UInt8] =
                [0x80, 96, UInt8(number >> 8), UInt8(truncatingIfNeeded: number), 0, 0, 0, 0, 0, 0, 0xCA, 0xFE]
                + [UInt8](repeating: 0x10, count: 1000)
            outgoing.append(to: address) { output in
                if protector?.protect(packet.span, into: &output) == nil { output.append(copying: packet.span) }
            }
        }
    }
}

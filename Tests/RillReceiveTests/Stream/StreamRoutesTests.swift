import RillTestSupport
import Testing

@testable import RillReceive

struct StreamRoutesTests {
    private func settings(_ source: UInt32, again: UInt32? = nil, reporter: UInt32) -> StreamReceiverSettings {
        let buffer = JitterBufferSettings(ssrc: SSRC(source), payloadType: PayloadType(96))
        var settings = StreamReceiverSettings(jitterBuffer: buffer, ssrc: SSRC(reporter))
        settings.repair.retransmission = again.map {
            RepairSettings.Retransmission(ssrc: SSRC($0), payloadType: PayloadType(97))
        }
        return settings
    }

    private func report(of ssrc: UInt32) -> [UInt8] {
        [UInt8](capacity: 28) { output in
            SenderReport(
                ssrc: SSRC(ssrc), ntpTimestamp: NTPTimestamp(seconds: 1, fraction: 0), rtpTimestamp: RTPTimestamp(0),
                packetCount: 0, octetCount: 0, blocks: WireList()
            ).write(into: &output)
        }
    }

    private func echoes(from sender: UInt32, to receivers: [UInt32]) -> [UInt8] {
        let delays = receivers.map { ReceiverDelay(ssrc: SSRC($0), lastReceiverReport: .zero) }
        return [UInt8](capacity: 12 + 12 * receivers.count) { output in
            let writer = ExtendedReportWriter(ssrc: SSRC(sender), into: &output)
            writer.append(.delaySinceLastReceiverReport(WireList(delays.span)), into: &output)
            writer.finish(into: &output)
        }
    }

    /// Where the packets of a datagram went, and with how many bytes.
    private func places(_ datagram: [UInt8], _ routes: StreamRoutes) -> [[Int]] {
        var (routes, found) = (routes, [[Int]]())
        let isRouted = routes.route(datagram.span) { found.append([$0, $1.count]) }
        #expect(isRouted == !found.isEmpty)
        return found
    }

    @Test func `RTP is routed to the stream of its SSRC or retransmission SSRC`() throws {
        let routes = try StreamRoutes([settings(1, again: 11, reporter: 101), settings(2, reporter: 102)])
        for (ssrc, place) in [(1, 0), (11, 0), (2, 1)] as [(UInt8, Int)] {
            #expect(places([0x80, 96, 0, 0, 0, 0, 0, 0, 0, 0, 0, ssrc, 1], routes) == [[place, 13]])
        }
        #expect(places([0x80, 96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 101, 1], routes) == [])
        #expect(places([], routes) == [] && places([0x80, 96, 0], routes) == [] && places([1, 2, 3], routes) == [])
    }

    @Test func `Each packet of a compound is routed to its stream`() throws {
        let routes = try StreamRoutes([settings(1, again: 11, reporter: 101), settings(2, reporter: 102)])
        let bundle = report(of: 2) + report(of: 7) + report(of: 1) + report(of: 2)
        #expect(places(bundle, routes) == [[1, 28], [0, 28], [1, 28]])
        #expect(places(report(of: 7) + report(of: 8), routes) == [])
        // Behind what cannot be read there is nothing more; what came before counts.
        #expect(places(report(of: 1) + [0x80, 200, 0, 99, 0, 0, 0, 2], routes) == [[0, 28]])
        #expect(places([0x80, 200, 0, 99] + report(of: 1), routes) == [])
        #expect(places([0x80, 201, 0, 0] + report(of: 1), routes) == [[0, 28]])
    }

    @Test func `An echo is routed to the stream that asked for it, and to its sender's`() throws {
        let routes = try StreamRoutes([
            settings(1, reporter: 101), settings(2, reporter: 102),
            settings(3, reporter: 200), settings(4, reporter: 200),
        ])
        #expect(places(echoes(from: 1, to: [101, 102, 102, 101, 5]), routes) == [[0, 72], [1, 72]])
        #expect(places(echoes(from: 9, to: [102]), routes) == [[1, 24]])
        // Two streams report under one number: only the sender tells which of them is meant.
        #expect(places(echoes(from: 9, to: [200]), routes) == [])
        #expect(places(echoes(from: 3, to: [200]), routes) == [[2, 24]])
        var fewer = routes
        fewer.remove(2)
        #expect(places(echoes(from: 3, to: [200]), fewer) == [[3, 24]])
        #expect(places(report(of: 3), fewer) == [])
    }

    @Test func `A pause is routed to the streams that it names, and to its sender's`() throws {
        let routes = try StreamRoutes([settings(1, again: 11, reporter: 101), settings(2, reporter: 102)])
        func paused(by sender: UInt32, _ targets: [UInt32]) -> [UInt8] {
            let entries = targets.map { PauseResume.Entry(target: SSRC($0), kind: .paused(last: 9)) }
            return [UInt8](capacity: 100) { PauseResume(sender: SSRC(sender), entries: entries.span).write(into: &$0) }
        }
        #expect(places(paused(by: 1, [1, 2]), routes) == [[0, 36], [1, 36]])
        #expect(places(paused(by: 1, [2, 7, 2]), routes) == [[0, 48], [1, 48]])
        #expect(places(paused(by: 7, [2]), routes) == [[1, 24]])
        #expect(places(paused(by: 7, [8]), routes) == [])
        // One that cannot be read goes to its sender's.
        let short: [UInt8] = [0x89, 205, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0x20, 1, 0, 0]
        #expect(places(short, routes) == [[0, 20]])
    }

    @Test func `An SSRC belongs to one stream, and a refusal leaves nothing behind`() throws {
        var routes = try StreamRoutes([settings(1, again: 11, reporter: 101)])
        #expect(throws: ReceiveError.sourceInUse(SSRC(11))) {
            try routes.add(settings(3, again: 11, reporter: 5), to: 1)
        }
        #expect(routes[SSRC(3)] == nil && routes[SSRC(11)] == 0)
        #expect(places(echoes(from: 9, to: [5]), routes) == [])
        #expect(throws: ReceiveError.sourceInUse(SSRC(1))) {
            try StreamRoutes([settings(1, reporter: 1), settings(1, reporter: 2)])
        }
    }

    @Test func `Any bytes are taken`() throws {
        var routes = try StreamRoutes([settings(1, again: 11, reporter: 101), settings(2, reporter: 102)])
        let seeds = [
            report(of: 2) + report(of: 1), report(of: 1) + echoes(from: 1, to: [101, 102]), echoes(from: 2, to: [102]),
        ]
        var routed = 0
        for input in MutatedInputs(of: seeds, count: 20_000, using: SeededGenerator(seed: 4)) {
            routes.route(input.span) { place, packet in
                routed += 1
                #expect(place < 2 && packet.count <= input.count)
            }
        }
        #expect(routed > 5000, "\(routed)")
    }

    /// A hostile datagram of only echoes is read at most once per stream.
    @Test func `Thousands of echoes reach each stream once`() throws {
        let routes = try StreamRoutes((0..<20).map { settings(1 + $0, reporter: 100 + $0) })
        let many = (0..<5000).map { 100 + UInt32($0 % 20) }
        #expect(places(echoes(from: 1, to: many), routes).count == 20)
    }
}

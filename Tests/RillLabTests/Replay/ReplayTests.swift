import RillCore
import RillFiles
import RillRTP
import RillTestSupport
import RillTransport
import Testing

@testable import RillLab

@Suite struct ReplayPacerTests {
    private func at(_ milliseconds: Int) -> MediaTime { .zero + .milliseconds(milliseconds) }

    @Test(arguments: [(1.0, 40), (2.0, 20), (0.5, 80), (1000, 0), (0.01, 4000)])
    func `Datagrams are due at their recorded distances, at every speed`(speed: Double, step: Int) {
        var pacer = ReplayPacer(speed: speed, start: at(500))
        for index in 0..<100 {
            let due = pacer.due(.zero + .seconds(1_700_000_000) + .milliseconds(40 * index))
            let expected = speed == 1000 ? .zero + .microseconds(500_000 + 40 * index) : at(500 + step * index)
            #expect(due == expected, "datagram \(index)")
        }
    }

    @Test func `A day does not drift by a nanosecond`() {
        var pacer = ReplayPacer(start: .zero)
        let origin = MediaTime.zero + .seconds(1_700_000_000)
        let interval: Int64 = 33_366_667
        for index in 0..<Int64(2_589_408) {
            let due = pacer.due(MediaTime(nanoseconds: origin.nanoseconds + index * interval))
            guard due.nanoseconds != index * interval else { continue }
            Issue.record("datagram \(index) is due at \(due.nanoseconds)")
            return
        }
    }

    @Test func `Time never runs backwards`() {
        var pacer = ReplayPacer(start: at(7))
        #expect([100, 140, 90, 130, 150].map { pacer.due(at($0)) } == [7, 47, 47, 47, 57].map { at($0) })
    }

    @Test func `A round starts one mean gap after the previous one`() {
        var pacer = ReplayPacer(start: .zero)
        for round in 0..<3 {
            if round > 0 { pacer.beginRound() }
            for index in 0..<5 { #expect(pacer.due(at(1000 + 40 * index)) == at(40 * (5 * round + index))) }
        }
        // A capture of one datagram has no gap.
        var single = ReplayPacer(start: at(1))
        #expect(single.due(at(5)) == at(1))
        single.beginRound()
        #expect(single.due(at(5)) == at(1))
    }

    @Test func `Times that lie far apart do not overflow`() {
        var pacer = ReplayPacer(speed: 0.01, start: at(1))
        var last = MediaTime.zero
        for _ in 0..<6 {
            for time in [.zero, MediaTime(nanoseconds: .max)] {
                let due = pacer.due(time)
                #expect(due >= last)
                last = due
            }
            pacer.beginRound()
        }
    }
}

@Suite struct ReplayTests {
    let folder = TemporaryFolder()

    /// Two streams and a report, 1 ms apart, and something else.
    private func capture() throws -> (path: String, packets: [[UInt8]]) {
        let path = folder.path("call.pcapng")
        let writer = try CaptureWriter(path: path)
        var packets: [[UInt8]] = []
        for number in 0..<UInt8(40) {
            packets.append([0x80, 96, 0, number / 2, 0, 0, 0, 0, 0, 0, 0, 1 + number % 2, number])
        }
        packets.append([0x80, 201, 0, 1, 0, 0, 0, 1])
        packets.append([0, 1, 0, 0])
        let (from, to) = (UDPAddress(.v4(1), port: 1), UDPAddress(.v4(2), port: 2))
        for (index, packet) in packets.enumerated() {
            try writer.write(packet.span, from: from, to: to, at: .zero + .milliseconds(index))
        }
        try writer.finish()
        return (path, packets)
    }

    private func received(_ socket: UDPSocket) throws -> [[UInt8]] {
        var (bytes, all): ([UInt8], [[UInt8]]) = ([], [])
        while try socket.receive(into: &bytes, within: .milliseconds(100)) != nil { all.append(bytes) }
        return all
    }

    @Test func `All RTP and RTCP packets arrive as captured`() throws {
        let (path, packets) = try capture()
        let far = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        let near = try ConnectedUDPSocket(to: far.localAddress)
        var progress = 0
        let report = try Replay(of: path).run(to: near) { progress = $0 }
        #expect(try received(far) == packets.dropLast())
        #expect(report.sent == 41 && progress == 41 && report.sentBytes == packets.dropLast().joined().count)
        #expect(report.otherDatagrams == 1 && report.unwanted == 0 && report.failed == 0 && report.damage == nil)
        // Never before its time: the last of them is due after 40 ms.
        #expect(report.duration >= 0.04 && report.maximumLateness >= report.meanLateness && report.meanLateness >= 0)
    }

    @Test func `Sources, RTCP and rounds are chosen`() throws {
        let (path, packets) = try capture()
        var settings = Replay.Settings()
        settings.speed = 100
        settings.rounds = 3
        settings.ssrcs = [SSRC(1)]
        settings.includesRTCP = false
        let far = try UDPSocket(boundTo: UDPAddress(.loopbackV6, port: 0))
        let near = try ConnectedUDPSocket(to: far.localAddress)
        let report = try Replay(of: path, settings: settings).run(to: near)
        let wanted = packets[..<40].filter { $0[11] == 1 }
        #expect(try received(far) == wanted + wanted + wanted)
        #expect(report.sent == 60 && report.unwanted == 63 && report.otherDatagrams == 3)
    }

    @Test func `A closed port is reported, and stops nothing`() throws {
        let gone = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)).localAddress
        let report = try Replay(of: try capture().path).run(to: try ConnectedUDPSocket(to: gone))
        #expect(report.sent == 41 && report.refused > 0)
    }

    @Test func `A file that is not a capture is rejected`() {
        #expect(throws: FileError.self) {
            try Replay(of: folder.path("none.pcap")).run(
                to: try ConnectedUDPSocket(to: UDPAddress(.loopback, port: 9)))
        }
    }
}

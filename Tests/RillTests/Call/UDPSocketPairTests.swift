import Rill
import RillCore
import RillRTP
import RillTestSupport
import RillTransport
import Testing

/// Two sockets as one transport.
struct UDPSocketPairTests {
    private static let rtp: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 1]
    private static let rtcp: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 7]

    private func pair(_ ip: IPAddress, reports port: UInt16? = nil) throws -> UDPSocket.Pair {
        for _ in 0..<100 {
            let socket = try UDPSocket(boundTo: UDPAddress(ip, port: 0))
            // The port behind may be taken.
            if let pair = try? UDPSocket.Pair(socket, reports: port) { return pair }
        }
        throw TestFailure("no two ports")
    }

    private func received(_ socket: UDPSocket) throws -> (bytes: [UInt8], port: UInt16) {
        var bytes: [UInt8] = []
        let datagram = try existing(try socket.receive(into: &bytes, within: .seconds(5)))
        return (bytes, datagram.source.port)
    }

    @Test(arguments: [IPAddress.loopback, .v6(1, zone: 0)])
    func `What arrives at either is received, and leaves the right one`(ip: IPAddress) throws {
        let pair = try pair(ip)
        #expect(pair.localReportAddress.port == pair.localAddress.port + 1)
        let (media, reports) = (
            try UDPSocket(boundTo: UDPAddress(ip, port: 0)), try UDPSocket(boundTo: UDPAddress(ip, port: 0))
        )
        try media.send(Self.rtp.span, to: pair.localAddress)
        try reports.send(Self.rtcp.span, to: pair.localReportAddress)
        var incoming = IncomingDatagrams(capacity: 8)
        var sources: [UDPAddress] = []
        while sources.count < 2 {
            guard case .received = try pair.receive(into: &incoming, within: .seconds(5)) else {
                throw TestFailure("nothing")
            }
            for index in incoming.indices { sources.append(incoming.source(at: index)) }
        }
        #expect(Set(sources) == [media.localAddress, reports.localAddress])
        #expect(try pair.receive(into: &incoming, within: .zero) == .nothing)
        var outgoing = OutgoingDatagrams(capacity: 8)
        for (bytes, socket) in [(Self.rtp, media), (Self.rtcp, reports), (Self.rtcp, media)] {
            outgoing.append(to: socket.localAddress) { $0.append(copying: bytes.span) }
        }
        #expect(pair.send(&outgoing) == .sent && outgoing.isEmpty)
        // RTCP to where RTP comes from has its port, too.
        for _ in 0..<2 { #expect(try received(media).port == pair.localAddress.port) }
        #expect(try received(reports) == (Self.rtcp, pair.localReportAddress.port))
        #expect(pair.statistics.sent == 3 && pair.statistics.received == 2)
    }

    @Test func `A named port, one that is taken, and none behind the last`() throws {
        let other = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        let taken = other.localAddress.port
        let socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        #expect(throws: TransportError.self) { _ = try UDPSocket.Pair(socket, reports: taken) }
        other.close()
        // An address of loopback that nobody else uses.
        let last = try UDPSocket(boundTo: UDPAddress(.v4(0x7F12_3456), port: 65535))
        #expect(throws: TransportError.invalidAddress("127.18.52.86:65536")) { _ = try UDPSocket.Pair(last) }
    }

    @Test func `Closing ends a call that waits`() async throws {
        let pair = try pair(.loopback)
        let waiting = Task {
            var incoming = IncomingDatagrams(capacity: 8)
            return try pair.receive(into: &incoming, within: .seconds(60))
        }
        pair.close()
        #expect(try await waiting.value == .closed)
    }
}

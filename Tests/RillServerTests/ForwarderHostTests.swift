#if Server
import Logging
import RillCore
import RillForward
import RillTransport
import RillWHIP
import Testing

@testable import RillServer

@Suite struct ForwarderHostTests {
    @Test func `Sessions that were deleted leave nothing`() throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let host = try ForwarderHost(logger: logger) { handle in
            try LiveForwarder(boundTo: UDPAddress(.loopback, port: 0), handle: handle)
        }
        for _ in 0..<1500 {
            let session = try host.publish(
                "stage", offer: Self.offer, from: StreamClient(bearer: "one"), replacing: .anybody)
            #expect(host.holds(session.id))
            try host.end(session.id)
            #expect(!host.holds(session.id))
        }
        // The thread that tells ends has told all of them when it has ended.
        host.forwarder.close()
        #expect(host.sessions.count == 0)
        #expect(host.totals["sessions_admitted"] == 1500 && host.levels["half_open_sessions"] == 0)
    }

    private static let offer = """
        v=0\r
        o=- 1 1 IN IP4 0.0.0.0\r
        s=-\r
        t=0 0\r
        a=group:BUNDLE 0\r
        m=video 9 UDP/TLS/RTP/SAVPF 96\r
        c=IN IP4 0.0.0.0\r
        a=mid:0\r
        a=sendonly\r
        a=rtcp-mux\r
        a=setup:actpass\r
        a=ice-ufrag:abcd\r
        a=ice-pwd:0123456789012345678901\r
        a=fingerprint:sha-256 \
        00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF\r
        a=rtpmap:96 VP8/90000\r
        a=ssrc:1234 cname:x\r

        """
}
#endif

import RillRTP
import Testing

struct ReportPortTests {
    static let lines: [(port: Int, lines: [String], expected: UInt16?)] = [
        (5004, [], 5005), (5005, [], 5006), (5004, ["a=rtcp-mux"], nil), (5004, ["a=rtcp:5010"], 5010),
        (5004, ["a=rtcp:53020 IN IP6 2001:2345:6789:ABCD:EF01:2345:6789:ABCD"], 53020), (65535, [], nil),
        (5004, ["a=rtcp:5010", "a=rtcp-mux"], nil), (5004, ["a=rtcp:0"], nil), (5004, ["a=rtcp:5004"], nil),
        (5004, ["a=rtcp:"], nil), (5004, ["a=rtcp:70000"], nil), (5004, ["a=rtcp:-1"], nil), (0, [], nil),
        (65535, ["a=rtcp:9 IN IP4 0.0.0.0"], 9),
    ]

    @Test(arguments: lines)
    func `RTCP has the port that is named, or the one behind`(port: Int, lines: [String], expected: UInt16?) throws {
        let text =
            (["v=0", "o=- 0 0 IN IP4 127.0.0.1", "s=-", "t=0 0", "m=video \(port) RTP/AVP 96"] + lines)
            .joined(separator: "\r\n") + "\r\n"
        let session = try SessionDescription(parsing: Array(text.utf8).span)
        #expect(session.media[0].reportPort == expected, "\(lines)")
    }
}

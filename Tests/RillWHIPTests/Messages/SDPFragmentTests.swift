import Testing

@testable import RillWHIP

@Suite struct SDPFragmentTests {
    static let lines = [
        "a=ice-ufrag:EsAw", "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1", "m=audio 9 UDP/TLS/RTP/SAVPF 0", "a=mid:0",
        "a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw network-id 1",
        "a=candidate:3471623853 1 udp 2122194687 198.51.100.2 61765 typ host", "a=end-of-candidates",
        "m=audio 9 UDP/TLS/RTP/SAVPF 0", "a=mid:video",
    ]
    static let fragment = SDPFragment(
        usernameFragment: "EsAw", password: "P2uYro0UCOQ4zxjKXaWCBui1",
        sections: [
            .init(mid: "0", candidates: [String(lines[4].dropFirst(2)), String(lines[5].dropFirst(2))], isEnd: true),
            .init(mid: "video"),
        ])

    @Test(arguments: ["\r\n", "\n", "\r", "\n\n \t\n"])
    func `A fragment is read with any line ending, and written as it was`(end: String) throws {
        let read = try SDPFragment(parsing: Self.lines.joined(separator: end))
        #expect(read == Self.fragment)
        #expect(read.text == Self.lines.map { $0 + "\r\n" }.joined())
    }

    @Test func `Credentials may stand in a section, and are repeated only with the same values`() throws {
        let credentials = ["a=ice-ufrag:EsAw", "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1"]
        let inside = ["m=video 9 RTP/AVP 0", "a=mid:1"] + credentials + ["m=video 9 RTP/AVP 0"] + credentials
        let read = try SDPFragment(parsing: inside.joined(separator: "\n"))
        #expect(read.usernameFragment == "EsAw" && read.password != nil && read.sections.count == 2)
        #expect(throws: SDPFragmentError.contradiction(line: 2, attribute: "ice-ufrag")) {
            try SDPFragment(parsing: "a=ice-ufrag:EsAw\na=ice-ufrag:EsAx")
        }
        #expect(throws: SDPFragmentError.contradiction(line: 3, attribute: "mid")) {
            try SDPFragment(parsing: "m=audio 9 RTP/AVP 0\na=mid:0\na=mid:1")
        }
    }

    @Test func `Candidates before the first section belong to one without a name`() throws {
        let read = try SDPFragment(parsing: "a=candidate:1 1 udp 1 ::1 9 typ host\na=group:BUNDLE 0\na=ice-lite")
        #expect(read.sections == [.init(mid: nil, candidates: ["candidate:1 1 udp 1 ::1 9 typ host"])])
        #expect(try SDPFragment(parsing: read.text) == read)
    }

    @Test func `A whole description has a fragment, too`() throws {
        let description =
            "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0 1\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"
            + "c=IN IP4 0.0.0.0\r\na=mid:0\r\na=ice-ufrag:a-b_\r\na=ice-pwd:an-eighteen-byte-password\r\n"
            + "a=candidate:1 1 udp 1 ::1 9 typ host\r\na=rtpmap:96 VP8/90000\r\na=end-of-candidates\r\n"
            + "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:1\r\n"
        #expect(
            try SDPFragment(ofDescription: description)
                == SDPFragment(
                    usernameFragment: "a-b_", password: "an-eighteen-byte-password",
                    sections: [
                        .init(mid: "0", candidates: ["candidate:1 1 udp 1 ::1 9 typ host"], isEnd: true),
                        .init(mid: "1"),
                    ]))
        #expect(throws: SDPFragmentError.unexpectedLine(line: 1, type: "v")) { try SDPFragment(parsing: description) }
        #expect(throws: SDPFragmentError.invalidCredential(line: 1, byteCount: 5, allowed: 4...256)) {
            try SDPFragment(ofDescription: "a=ice-ufrag:ab cd")
        }
    }

    @Test(arguments: [
        ("", SDPFragmentError.empty), (" \r\n\n", .empty), ("a=group:BUNDLE 0", .empty), ("hello", .notALine(line: 1)),
        ("\na", .notALine(line: 2)),
        ("a=x\u{0}", .notALine(line: 1)), ("ä=x", .notALine(line: 1)),
        ("v=0", .unexpectedLine(line: 1, type: "v")), ("a=mid:0\n\nc=IN", .unexpectedLine(line: 3, type: "c")),
        ("a=ice-ufrag:abc", .invalidCredential(line: 1, byteCount: 3, allowed: 4...256)),
        ("a=ice-ufrag:ab d", .invalidCredential(line: 1, byteCount: 4, allowed: 4...256)),
        ("a=ice-pwd:0123456789abcdefghijk", .invalidCredential(line: 1, byteCount: 21, allowed: 22...256)),
        ("a=ice-pwd", .invalidCredential(line: 1, byteCount: 0, allowed: 22...256)),
        ("a=mid:", .invalidIdentification(line: 1, byteCount: 0, limit: 64)),
        ("a=mid:a b", .invalidIdentification(line: 1, byteCount: 3, limit: 64)),
        ("a=candidate", .invalidCandidate(line: 1, byteCount: 9, limit: 1024)),
        ("a=candidate:", .invalidCandidate(line: 1, byteCount: 10, limit: 1024)),
    ])
    func `Errors are reported with their line`(text: String, error: SDPFragmentError) {
        #expect(throws: error) { try SDPFragment(parsing: text) }
        #expect(!error.description.isEmpty)
    }

    @Test func `Everything has a limit`() throws {
        let candidate = "a=candidate:1\n"
        #expect(throws: Never.self) { try SDPFragment(parsing: String(repeating: candidate, count: 256)) }
        #expect(throws: SDPFragmentError.tooManyCandidates(limit: 256)) {
            try SDPFragment(parsing: String(repeating: candidate, count: 257))
        }
        #expect(throws: Never.self) { try SDPFragment(parsing: String(repeating: "m=a\n", count: 32)) }
        #expect(throws: SDPFragmentError.tooManySections(limit: 32)) {
            try SDPFragment(parsing: String(repeating: "m=a\n", count: 33))
        }
        #expect(throws: SDPFragmentError.tooLong(byteCount: 65537, limit: 65536)) {
            try SDPFragment(parsing: String(repeating: "\n", count: 65537))
        }
        let long = String(repeating: "x", count: 1025)
        #expect(throws: SDPFragmentError.invalidCandidate(line: 1, byteCount: 1035, limit: 1024)) {
            try SDPFragment(parsing: "a=candidate:" + long)
        }
        #expect(throws: SDPFragmentError.invalidCredential(line: 1, byteCount: 1025, allowed: 4...256)) {
            try SDPFragment(parsing: "a=ice-ufrag:" + long)
        }
    }
}

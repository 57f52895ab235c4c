import RillCore
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

@Suite struct ICECandidateTests {
    private func candidate(_ text: String) throws -> ICECandidate {
        guard case .candidate(let candidate) = try ICECandidateText(parsing: text) else {
            throw TestFailure("another case was expected")
        }
        return candidate
    }

    @Test func `A browser's candidate is read, extensions and all`() throws {
        let text =
            "a=candidate:842163049 1 udp 1677729535 198.51.100.7 46154 typ srflx raddr 10.0.0.1 rport 5000 "
            + "generation 0 ufrag EsAw network-id 1 network-cost 50"
        let candidate = try candidate(text)
        #expect(candidate.foundation == "842163049" && candidate.priority == 1_677_729_535)
        #expect(candidate.address == UDPAddress("198.51.100.7:46154") && candidate.kind == .serverReflexive)
        #expect(candidate.related == UDPAddress("10.0.0.1:5000") && candidate.usernameFragment == "EsAw")
    }

    @Test func `What is written is read`() throws {
        for kind in ICECandidate.Kind.allCases {
            for address in ["192.0.2.1:5004", "[2001:db8::1]:9"] {
                var one = ICECandidate(kind, try existing(UDPAddress(address)), foundation: "a+/9", localPreference: 7)
                one.usernameFragment = "abcd"
                if kind != .host { one.related = UDPAddress("10.0.0.1:1") }
                #expect(try candidate(one.text) == one)
            }
        }
    }

    @Test func `Priorities are those of the RFC`() {
        // RFC 8445 §5.1.2.1: 2^24 * 126 + 2^8 * 65535 + 255.
        #expect(ICECandidate.priority(.host, localPreference: 65535) == 2_130_706_431)
        #expect(ICECandidate.priority(.relayed, localPreference: 0) == 255)
    }

    @Test(arguments: [
        (
            "candidate:1 1 udp 1 7f6f7a58-8c05-42d4-a7a3-a0e3ab8e4f5e.local 5000 typ host",
            ICECandidateText.Reason.mDNSName("7f6f7a58-8c05-42d4-a7a3-a0e3ab8e4f5e.local")
        ),
        ("candidate:1 1 udp 1 example.org 5000 typ host", .hostName("example.org")),
        ("candidate:1 1 tcp 1 192.0.2.1 9 typ host tcptype active", .transport("tcp")),
        ("candidate:1 2 UDP 1 192.0.2.1 9 typ host", .component(2)),
        ("1 1 UDP 1 192.0.2.1 9 typ other", .type("other")),
    ])
    func `Candidates of no use are named`(text: String, reason: ICECandidateText.Reason) throws {
        #expect(try ICECandidateText(parsing: text) == .ignored(reason))
    }

    @Test(arguments: [
        ("", ICEError.truncatedCandidate(fieldCount: 0)),
        ("candidate:1 1 udp 1 192.0.2.1 9 typ", .truncatedCandidate(fieldCount: 7)),
        ("candidate:ä 1 udp 1 192.0.2.1 9 typ host", .invalidCandidate(.foundation, "ä")),
        ("candidate:1 0 udp 1 192.0.2.1 9 typ host", .invalidCandidate(.component, "0")),
        ("candidate:1 1 udp 4294967296 192.0.2.1 9 typ host", .invalidCandidate(.priority, "4294967296")),
        ("candidate:1 1 udp -1 192.0.2.1 9 typ host", .invalidCandidate(.priority, "-1")),
        ("candidate:1 1 udp 1 192.0.2.1 0 typ host", .invalidCandidate(.port, "0")),
        ("candidate:1 1 udp 1 12::34::56 9 typ host", .invalidCandidate(.address, "12::34::56")),
        ("candidate:1 1 udp 1 192.0.2.1 9 type host", .invalidCandidate(.type, "type")),
    ])
    func `Malformed candidates throw`(text: String, error: ICEError) {
        #expect(throws: error) { try ICECandidateText(parsing: text) }
    }

    @Test func `No mutation brings the parser down, and what it reads is written as the same`() throws {
        let seeds = [
            "candidate:842163049 1 udp 1677729535 198.51.100.7 46154 typ srflx raddr 10.0.0.1 rport 5000 ufrag EsAw",
            "a=candidate:1 1 UDP 2130706431 2001:db8::1 5004 typ host generation 0",
        ].map { Array($0.utf8) }
        let count = isLongRun ? 1_000_000 : 20_000
        var (read, refused) = (0, 0)
        for input in MutatedInputs(of: seeds, count: count, using: SeededGenerator(seed: 3)) {
            let text = String(decoding: input, as: UTF8.self)
            do throws(ICEError) {
                guard case .candidate(let candidate) = try ICECandidateText(parsing: text) else { continue }
                read += 1
                #expect(try ICECandidateText(parsing: candidate.text) == .candidate(candidate), "\(text)")
            } catch {
                refused += 1
            }
        }
        #expect(read > count / 20 && refused > count / 20, "\(read) read, \(refused) refused of \(count)")
    }
}

@Suite struct ICECredentialsTests {
    @Test func `Drawn credentials have the characters and lengths of the RFC, and differ`() throws {
        var generator = SeededGenerator(seed: 1)
        var fragments: Set<String> = []
        for _ in 0..<10_000 {
            let drawn = ICECredentials(using: &generator)
            // 6 bits a character: 48 and 144.
            #expect(drawn.usernameFragment.utf8.count == 8 && drawn.password.utf8.count == 24)
            let checked = try ICECredentials(usernameFragment: drawn.usernameFragment, password: drawn.password)
            #expect(checked == drawn)
            fragments.insert(drawn.usernameFragment)
        }
        #expect(fragments.count == 10_000)
    }

    @Test func `Credentials of other lengths or characters throw, and a password is never shown`() throws {
        let password = String(repeating: "p", count: 22)
        #expect(throws: ICEError.invalidUsernameFragment(byteCount: 3)) {
            try ICECredentials(usernameFragment: "abc", password: password)
        }
        #expect(throws: ICEError.invalidUsernameFragment(byteCount: 257)) {
            try ICECredentials(usernameFragment: String(repeating: "a", count: 257), password: password)
        }
        #expect(throws: ICEError.invalidPassword(byteCount: 21)) {
            try ICECredentials(usernameFragment: "abcd", password: String(password.dropLast()))
        }
        #expect(throws: ICEError.invalidCharacter(58, offset: 2)) {
            try ICECredentials(usernameFragment: "ab:d", password: password)
        }
        let credentials = try ICECredentials(usernameFragment: "abcd", password: password)
        #expect(!"\(credentials)".contains("ppp"))
    }
}

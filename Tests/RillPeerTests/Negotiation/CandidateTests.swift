import RillCore
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

/// Candidates that trickle in.
@Suite struct NegotiationCandidateTests {
    private let text = "candidate:1 1 udp 2130706431 198.51.100.7 5004 typ host generation 0 ufrag fURN network-id 1"

    private func end() throws -> NegotiationEnd {
        var end = try NegotiationEnd()
        _ = try end.negotiator.setRemote(.offer, text: RecordedDescription.chromiumCall.text)
        return end
    }

    @Test func `A candidate of the transport's section is taken, those of others are ignored`() throws {
        let negotiator = try end().negotiator
        for (mid, index) in [("0", nil), (nil, 0), ("0", 7), (nil, nil)] as [(String?, Int?)] {
            guard case .candidate(let candidate)? = try negotiator.addRemoteCandidate(text, mid: mid, index: index)
            else {
                Issue.record("\(mid ?? "none") \(index ?? -1)")
                continue
            }
            #expect(candidate.address.port == 5004)
        }
        #expect(try negotiator.addRemoteCandidate(text, mid: "1") == .ignored(.section(1)))
        #expect(try negotiator.addRemoteCandidate("", mid: "0") == nil)
        #expect(try negotiator.addRemoteCandidate("", mid: "2") == .ignored(.section(2)))
        let hidden = "candidate:1 1 udp 1 7f6f7a58-8c05-42d4-a7a3-a0e3ab8e4f5e.local 5004 typ host"
        #expect(
            try negotiator.addRemoteCandidate(hidden, mid: "0")
                == .ignored(.mDNSName("7f6f7a58-8c05-42d4-a7a3-a0e3ab8e4f5e.local")))
    }

    @Test func `Once sections are bundled, their candidates are those of the transport`() throws {
        var end = try end()
        _ = try end.negotiator.setLocal(.answer, end.negotiator.makeAnswer(end.transport))
        guard case .candidate? = try end.negotiator.addRemoteCandidate(text, mid: "1") else {
            Issue.record("it was ignored")
            return
        }
        // Those of sections that can only be bundled are from the start.
        var other = try NegotiationEnd()
        _ = try other.negotiator.setRemote(.offer, text: RecordedDescription.gstreamer.text)
        guard
            case .candidate? = try other.negotiator.addRemoteCandidate(
                text.replacing(" ufrag fURN", with: ""), mid: "audio1")
        else {
            Issue.record("it was ignored")
            return
        }
    }

    @Test func `A candidate of no section, or of another generation, is an error`() throws {
        let negotiator = try end().negotiator
        #expect(throws: NegotiationError.unknownSection(mid: "x", index: nil)) {
            try negotiator.addRemoteCandidate(text, mid: "x")
        }
        #expect(throws: NegotiationError.unknownSection(mid: nil, index: 3)) {
            try negotiator.addRemoteCandidate(text, mid: nil, index: 3)
        }
        #expect(throws: NegotiationError.unknownSection(mid: nil, index: -1)) {
            try negotiator.addRemoteCandidate(text, mid: nil, index: -1)
        }
        #expect(throws: NegotiationError.otherGeneration(usernameFragment: "old1")) {
            try negotiator.addRemoteCandidate(text, mid: "0", usernameFragment: "old1")
        }
        #expect(throws: NegotiationError.otherGeneration(usernameFragment: "old2")) {
            try negotiator.addRemoteCandidate(text.replacing("fURN", with: "old2"), mid: "0")
        }
        #expect(throws: NegotiationError.invalidCandidate(.truncatedCandidate(fieldCount: 1))) {
            try negotiator.addRemoteCandidate("candidate:1", mid: "0")
        }
        #expect(throws: NegotiationError.noRemoteDescription) {
            try NegotiationEnd().negotiator.addRemoteCandidate(text, mid: "0")
        }
    }
}

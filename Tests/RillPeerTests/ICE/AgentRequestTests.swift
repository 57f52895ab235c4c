import RillCore
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

/// What an agent that does not know its peer's credentials yet makes of single requests.
@Suite struct AgentRequestTests {
    private let agent: ICEAgent
    private let source = AgentPair.address("198.51.100.7:61000")

    init() throws {
        var generator = SeededGenerator(seed: 5)
        agent = ICEAgent(.controlled, credentials: ICECredentials(using: &generator), settings: ICESettings(seed: 1))
        try agent.addLocalCandidate(AgentPair.address("192.0.2.1:5004"))
    }

    /// What the agent makes of a request, and its answer.
    private func insert(
        _ request: [UInt8], from source: UDPAddress? = nil, at now: MediaTime = .zero
    ) -> (ICEInsertResult, [UInt8]?) {
        let result = agent.insert(request.span, on: ICEPath(source ?? self.source), at: now)
        var bytes: [UInt8] = []
        while true {
            switch agent.poll(at: now, into: &bytes) {
            case .transmit(on: let path):
                // Nothing is ever sent elsewhere, or amplified.
                precondition(path.remote == source ?? self.source && bytes.count <= 3 * request.count)
                return (result, bytes)
            case .event: break
            case .wait: return (result, nil)
            }
        }
    }

    /// How an agent gives way or not, when the peer has the same role.
    private func expectConflict(_ tiebreaker: UInt64, _ expected: ICEInsertResult) {
        var peer = peer
        peer.role = .iceControlled(tiebreaker)
        #expect(insert(peer.request(tiebreaker)).0 == expected)
    }

    private var peer: CheckWriter { CheckWriter(to: agent) }

    @Test func `A check is answered with the address it came from, and its integrity`() throws {
        for (source, algorithm) in [
            (source, STUNIntegrityAlgorithm.sha1), (AgentPair.address("[2001:db8::1]:5"), .sha256),
        ] {
            var peer = peer
            peer.algorithm = algorithm
            let (result, answer) = insert(peer.request(7), from: source)
            #expect(result == .answered(nominates: false))
            let bytes = try existing(answer)
            let message = try STUNMessage(parsing: bytes.span)
            #expect(message.type == .bindingSuccess && message.transactionID == STUNTransactionID(high: 9, low: 7))
            #expect(message.mappedAddress == source && message.hasValidFingerprint == true)
            let key = try existing(peer.key)
            #expect(message.integrityAlgorithm == algorithm && message.hasIntegrity(of: key))
        }
    }

    @Test func `Requests of strangers get no answer and leave nothing behind`() {
        var wrongKey = peer
        wrongKey.key = STUNIntegrityKey(password: [1])
        var noKey = peer
        noKey.key = nil
        var other = peer
        other.username = "otherone:peer"
        var onlyOurs = peer
        onlyOurs.username = agent.credentials.usernameFragment
        var damaged = peer.request(1)
        damaged[damaged.count - 1] ^= 1
        let requests: [([UInt8], ICEDropReason)] = [
            (wrongKey.request(1), .wrongIntegrity), (noKey.request(1), .unauthenticated),
            (other.request(1), .wrongUsername), (onlyOurs.request(1), .wrongUsername), (damaged, .wrongFingerprint),
        ]
        for (request, reason) in requests {
            let (result, answer) = insert(request)
            #expect(result == .dropped(reason) && answer == nil)
        }
        #expect(agent.state == .new && agent.remoteCandidates.isEmpty && agent.statistics.isEmpty)
        #expect(agent.wakeTime == .distantFuture)
    }

    @Test func `Once the remote credentials are known, the other fragment must be theirs`() throws {
        let theirs = try ICECredentials(usernameFragment: "peer", password: String(repeating: "p", count: 22))
        try agent.setRemote(theirs, isLite: false, at: .zero)
        #expect(insert(CheckWriter(to: agent, from: "else").request(1)).0 == .dropped(.wrongUsername))
        #expect(insert(peer.request(1)).0 == .answered(nominates: false))
        let others = try ICECredentials(usernameFragment: "else", password: String(repeating: "p", count: 22))
        #expect(throws: ICEError.changedCredentials) { try agent.setRemote(others, isLite: false, at: .zero) }
    }

    @Test func `Unknown attributes, a missing priority and the wrong role are refused with their codes`() throws {
        func refusal(_ change: (inout CheckWriter) -> Void) throws -> (STUNErrorCode?, [STUNAttributeType]) {
            var peer = peer
            change(&peer)
            let (result, answer) = insert(peer.request(1))
            let bytes = try existing(answer)
            let message = try STUNMessage(parsing: bytes.span)
            let key = try existing(peer.key)
            #expect(message.type == .bindingError && message.hasIntegrity(of: key))
            guard case .refused(let code) = result, code == message.errorCode else {
                throw TestFailure("another case was expected")
            }
            return (code, message.unknownAttributes)
        }
        let unknown = (0x7000..<0x7020).map { STUNAttributeType(rawValue: UInt16($0)) }
        let first = try refusal { $0.more = unknown.map { .other($0, []) } }
        #expect(first == (.unknownAttribute, Array(unknown.prefix(8))))
        #expect(try refusal { $0.priority = nil }.0 == .badRequest)
        // The one with the smaller tiebreaker stays controlled.
        #expect(try refusal { $0.role = .iceControlled(.max) }.0 == .roleConflict)
        #expect(agent.statistics.isEmpty && agent.role == .controlled)

        var optional = peer
        optional.more = [
            .other(STUNAttributeType(rawValue: 0xC057), [0, 1, 2, 3]), .other(.software, Array("x".utf8)),
        ]
        #expect(insert(optional.request(1)).0 == .answered(nominates: false))
        expectConflict(0, .answered(nominates: false))
        #expect(agent.role == .controlling)
    }

    @Test func `No nomination is followed before a check of ours is answered, and no copy of one is taken`() {
        var nominating = peer
        nominating.nominates = true
        let addresses = (1...3).map { AgentPair.address("198.51.100.\($0):61000") }
        #expect(insert(peer.request(1), from: addresses[0]).0 == .answered(nominates: false))
        #expect(agent.selectedPath == nil && agent.state == .checking)
        #expect(insert(nominating.request(2), from: addresses[1]).0 == .answered(nominates: true))
        #expect(agent.selectedPath == nil && agent.statistics.allSatisfy { !$0.isNominated && $0.state == .waiting })
        // A retransmission is answered. The first to arrive may be the copy, and the second one; but not a third.
        #expect(insert(nominating.request(2), from: addresses[1]).0 == .answered(nominates: true))
        #expect(insert(nominating.request(2), from: addresses[2]).0 == .answered(nominates: true))
        #expect(insert(nominating.request(2), from: addresses[0]).0 == .dropped(.replayed))
        #expect(insert(nominating.request(2)).0 == .dropped(.replayed))
        #expect(agent.counts.requestsReplayed == 2 && agent.statistics.count == 3)
    }

    @Test func `A peer with many addresses has the last 16`() {
        for number in 0...500 {
            let address = UDPAddress(.v4(0x0B00_0000 + UInt32(number)), port: 1)
            #expect(
                insert(peer.request(UInt64(number)), from: address, at: .zero + .milliseconds(number)).0
                    == .answered(nominates: false))
        }
        #expect(agent.statistics.count == 16 && agent.remoteCandidates.count == 16)
        #expect(agent.counts.pairsEvicted == 485)
        #expect(agent.statistics.last?.remote.address == UDPAddress(.v4(0x0B00_0000 + 500), port: 1))
    }

    @Test func `Other messages of STUN are named`() {
        func message(_ type: STUNMessageType) -> [UInt8] {
            [UInt8](capacity: 100) { output in
                STUNMessageWriter(type, STUNTransactionID(high: 0, low: 0), into: &output).finish(nil, into: &output)
            }
        }
        #expect(insert(message(.bindingIndication)).0 == .keepalive)
        #expect(insert(message(.bindingSuccess)).0 == .dropped(.unknownTransaction))
        // TURN's allocation.
        #expect(insert(message(STUNMessageType(method: 3, .request))).0 == .dropped(.unsupportedMethod(3)))
        #expect(
            agent.insert(peer.request(1).span, on: ICEPath(socket: 1, source), at: .zero) == .dropped(.unknownSocket(1))
        )
    }

    @Test func `No mutation of a request is answered, unless it leaves what is authenticated`() {
        let requests = (0..<4).map { number -> [UInt8] in
            var peer = peer
            peer.nominates = number % 2 == 0
            peer.algorithm = number < 2 ? .sha1 : .sha256
            return peer.request(UInt64(number))
        }
        var answered = 0
        let count = isLongRun ? 10_000_000 : 100_000
        for input in MutatedInputs(of: requests, count: count, using: SeededGenerator(seed: 7)) {
            let (result, answer) = insert(input)
            if case .answered = result {
                answered += 1
                #expect(requests.contains { isAuthenticated($0, in: input) }, "\(input)")
            }
            #expect((answer == nil) == (result.isSilent), "\(input)")
        }
        #expect(agent.statistics.count <= 1 && agent.selectedPath == nil && answered < count / 10)
    }

    /// Whether all of a request that is authenticated is in the input, apart from the length of the message.
    private func isAuthenticated(_ request: [UInt8], in input: [UInt8]) -> Bool {
        let end = request.count - 8
        return input.count >= end && request[..<2] == input[..<2] && request[4..<end] == input[4..<end]
    }
}

extension ICEInsertResult {
    fileprivate var isSilent: Bool {
        switch self {
        case .answered, .refused: false
        case .data, .early, .confirmed, .declined, .keepalive, .dropped: true
        }
    }
}

import RillCore
import RillPeer
import RillWireFuzzTargets

/// All that a network may bring to a port with two agents, one of them a peer that knows the password and misbehaves.
///
/// The first byte says what the agents are; then datagrams, each with two bytes before it: eleven bits of its length,
/// and in the upper five the time since the one before, in units of 256 ms. The lower bits of each length choose the
/// sender's address.
func fuzzICE(_ bytes: Span<UInt8>) {
    let port = FuzzedPort(bytes.isEmpty ? 0 : bytes[0])
    var position = 1
    while position + 2 <= bytes.count {
        let word = Int(bytes[position]) << 8 | Int(bytes[position + 1])
        let end = position + 2 + min(word & 0x7FF, bytes.count - position - 2)
        port.advance(by: .milliseconds(256 * (word >> 11)))
        port.take(bytes.extracting((position + 2)..<end), from: word & 3)
        position = end
    }
    // Long enough that whoever has no consent loses it.
    for _ in 0..<30 { port.advance(by: .seconds(3)) }
    port.expectEnd()
}

/// A port under observation.
private final class FuzzedPort {
    private let port = ICEPort(peerLimit: 2)
    private let agent: ICEAgent
    private let peer: ICEPeerID
    /// Whether messages get the integrity, the fragment and the identifier that make them authentic.
    private let isSigning: Bool
    private let isRestarting: Bool
    private var now = MediaTime.zero
    private var bytes: [UInt8] = []
    private var lastRequest = STUNTransactionID(high: 0, low: 0)
    private var restarts = 0

    init(_ kind: UInt8) {
        isSigning = kind & 1 != 0
        isRestarting = kind & 2 != 0
        let role: ICERole = kind & 8 != 0 ? .controlling : .controlled
        var settings = ICESettings(seed: 7)
        settings.maximumPairCount = 6
        settings.maximumReflexiveCount = 3
        agent = ICEAgent(role, credentials: FuzzedPort.credentials("ours"), settings: settings)
        do throws(ICEError) {
            for socket in 0..<2 {
                try agent.addLocalCandidate(UDPAddress(.v4(0xC000_0201), port: UInt16(1 + socket)), socket: socket)
            }
            peer = try port.add(agent)
            _ = try port.add(ICEAgent(.controlled, credentials: FuzzedPort.credentials("else"), settings: settings))
        } catch { preconditionFailure("\(error)") }
        if kind & 4 == 0 { introduce(isLite: kind & 16 != 0) }
    }

    private static func credentials(_ fragment: String) -> ICECredentials {
        do throws(ICEError) {
            return try ICECredentials(usernameFragment: fragment, password: FuzzedSTUN.password)
        } catch { preconditionFailure("\(error)") }
    }

    private func introduce(isLite: Bool) {
        let now = now
        port.change(peer) { agent in
            do throws(ICEError) {
                // A restarted agent has no remote credentials.
                try agent.setRemote(FuzzedPort.credentials("peer"), isLite: isLite, at: now)
            } catch { preconditionFailure("\(error)") }
            for number in 0..<2 {
                let candidate = ICECandidate(.host, address(number), foundation: "\(number)")
                agent.addRemoteCandidate(candidate, at: now)
            }
            agent.endRemoteCandidates()
        }
        poll()
    }

    private func address(_ number: Int) -> UDPAddress { UDPAddress(.v4(0x0A00_0000 + UInt32(number)), port: 9) }

    func take(_ datagram: Span<UInt8>, from number: Int) {
        let path = ICEPath(socket: number & 1, address(number))
        if isSigning, let signed = signed(datagram) {
            _ = port.insert(signed.span, on: path, at: now)
        } else {
            switch port.insert(datagram, on: path, at: now) {
            // Without the key, nothing is answered.
            case .peer(_, .answered), .peer(_, .refused), .peer(_, .confirmed), .peer(_, .declined):
                precondition(isAuthentic(datagram))
            case .peer, .dropped: break
            // The other agent has no peer.
            case .shared: preconditionFailure("an agent without a peer has validated an address")
            }
        }
        poll()
    }

    private func isAuthentic(_ datagram: Span<UInt8>) -> Bool {
        do throws(STUNError) {
            let key = STUNIntegrityKey(password: Array(FuzzedSTUN.password.utf8))
            return try STUNMessage(parsing: datagram).hasIntegrity(of: key)
        } catch { return false }
    }

    /// The same message from one who knows the password; `nil` if it is none.
    private func signed(_ datagram: Span<UInt8>) -> [UInt8]? {
        do throws(STUNError) {
            let message = try STUNMessage(parsing: datagram)
            let isResponse = message.type.messageClass == .success || message.type.messageClass == .error
            var attributes: [STUNAttribute] = [.username(Array("\(agent.credentials.usernameFragment):peer".utf8))]
            if let priority = message.priority { attributes.append(.priority(priority)) }
            if let tiebreaker = message.iceControlling { attributes.append(.iceControlling(tiebreaker)) }
            if let tiebreaker = message.iceControlled { attributes.append(.iceControlled(tiebreaker)) }
            if message.usesCandidate { attributes.append(.useCandidate) }
            if let mapped = message.mappedAddress { attributes.append(.mappedAddress(mapped)) }
            if let code = message.errorCode { attributes.append(.errorCode(code)) }
            attributes += message.unknownRequired(limit: 20).map { .other($0, [1]) }
            return FuzzedSTUN.message(
                message.type, isResponse ? lastRequest : message.transactionID, attributes,
                key: STUNIntegrityKey(password: Array(FuzzedSTUN.password.utf8)),
                message.integrityAlgorithm ?? .sha1)
        } catch { return nil }
    }

    func advance(by duration: MediaDuration) {
        now += duration
        poll()
        if isRestarting, agent.state == .failed, restarts < 3 { restart() }
    }

    private func restart() {
        restarts += 1
        let fragment = "our\(restarts)"
        port.change(peer) { $0.restart(with: FuzzedPort.credentials(fragment)) }
        introduce(isLite: false)
    }

    /// Polls until it is told to wait, for later; every datagram can be read.
    private func poll() {
        for _ in 0..<1000 {
            switch port.poll(at: now, into: &bytes) {
            case .transmit:
                do throws(STUNError) {
                    let message = try STUNMessage(parsing: bytes.span)
                    precondition(message.hasValidFingerprint == true && message.integrityAlgorithm != nil)
                    if message.type == .bindingRequest { lastRequest = message.transactionID }
                } catch { preconditionFailure("\(error)") }
            case .event: break
            case .wait(until: let time):
                precondition(time > now)
                precondition(agent.statistics.count <= 6 && port.pathCount <= 12)
                return
            }
        }
        preconditionFailure("polling does not come to an end")
    }

    func expectEnd() {
        precondition(agent.state == .failed || agent.state == .new || restarts > 0, "still \(agent.state)")
    }
}

func iceSeeds() -> [FuzzTarget.Seed] {
    let messages = Dictionary(uniqueKeysWithValues: FuzzedSTUN.messages.map { ($0.name, $0.bytes) })
    func seed(_ name: String, _ kind: UInt8, _ names: [String]) -> FuzzTarget.Seed {
        FuzzTarget.Seed(name, agreed: kind, names.compactMap { messages[$0] })
    }
    let data: [UInt8] = [0x80, 96, 0, 1]
    return [
        seed("unknown-peer", 4, ["check", "nomination", "sha256", "indication"]),
        seed("unknown-peer-signed", 5, ["check", "nomination", "unknown", "controlled", "chromium"]),
        seed("controlling", 9, ["success", "success", "check", "success", "success"]),
        seed("controlled", 1, ["success", "nomination", "success", "success-v6"]),
        seed("conflict", 9, ["check", "conflict", "success", "controlled", "conflict"]),
        seed("refusal", 9, ["refusal", "refusal", "success"]),
        seed("towards-lite", 25, ["success", "success", "conflict", "check"]),
        seed("restart", 7, ["check", "nomination"]),
        FuzzTarget.Seed("data", agreed: 5, [messages["check"] ?? [], data, data]),
    ]
}

import RillCore
import RillPeer
import RillWireFuzzTargets

/// All that a network may bring to a connection that has answered an offer: from the peer's address, and from
/// strangers'.
///
/// The first byte says what the connection is; then datagrams, each with two bytes before it: eleven bits of its
/// length, and in the upper five the time since the one before, in units of 256 ms. The lower bit of each length
/// chooses the address.
func fuzzPeer(_ bytes: Span<UInt8>) {
    let peer = FuzzedPeer(bytes.isEmpty ? 0 : bytes[0])
    var position = 1
    while position + 2 <= bytes.count {
        let word = Int(bytes[position]) << 8 | Int(bytes[position + 1])
        let end = position + 2 + min(word & 0x7FF, bytes.count - position - 2)
        peer.advance(by: .milliseconds(256 * (word >> 11)))
        peer.take(bytes.extracting((position + 2)..<end), isUnknownPeer: word & 1 == 1)
        position = end
    }
    peer.expectEnd()
}

/// A connection under observation. Its peer has validated its address, and speaks no DTLS that could succeed.
private final class FuzzedPeer {
    private let port = PeerPort(peerLimit: 1)
    private let id: ICEPeerID
    private var now = MediaTime.zero
    private var bytes: [UInt8] = []

    private static let theirs = ICEPath(UDPAddress(.v4(0x0A00_0001), port: 9))
    private static let unknownPeer = ICEPath(UDPAddress(.v4(0x0A00_0002), port: 9))
    private static let certificate: DTLSCertificate = {
        do throws(DTLSError) { return try DTLSCertificate(wallClock: 1_800_000_000) } catch {
            preconditionFailure("\(error)")
        }
    }()

    init(_ kind: UInt8) {
        var settings = PeerConnectionSettings(seed: 7)
        settings.negotiation.answeringRole = kind & 1 == 0 ? .client : .server
        let connection = PeerConnection(
            kind & 2 == 0 ? .controlled : .controlling, certificate: FuzzedPeer.certificate, settings: settings,
            using: SeededGenerator(seed: 9))
        guard let seed = offerSeeds().first, let added = try? port.add(connection) else {
            preconditionFailure("there is an offer, and room")
        }
        id = added
        port.change(id) { peer in
            guard (try? peer.addLocalCandidate(UDPAddress(.v4(0xC000_0201), port: 9))) != nil,
                (try? peer.answer(String(decoding: seed.bytes, as: UTF8.self), at: .zero)) != nil
            else { preconditionFailure("the offer is a good one") }
        }
        validate(connection.agent)
    }

    /// A check from the peer's address, with the right integrity, and the answer to ours.
    private func validate(_ agent: ICEAgent) {
        let name = "\(agent.credentials.usernameFragment):\(agent.remoteCredentials?.usernameFragment ?? "")"
        let check = FuzzedSTUN.message(
            .bindingRequest, STUNTransactionID(high: 1, low: 2),
            [
                .username(Array(name.utf8)), .priority(1),
                agent.role == .controlled ? .iceControlling(3) : .iceControlled(3), .useCandidate,
            ],
            key: STUNIntegrityKey(password: Array(agent.credentials.password.utf8)))
        guard case .answered = insert(check) else { preconditionFailure("an authentic check is answered") }
        var requests: [STUNTransactionID] = []
        polling: while true {
            switch port.poll(at: now, into: &bytes) {
            case .transmit(on: let path):
                if path == FuzzedPeer.theirs, let id = FuzzedPeer.transaction(of: bytes) { requests.append(id) }
            case .event, .decode, .payload, .makeKeyFrame: break
            case .wait: break polling
            }
        }
        let key = STUNIntegrityKey(password: Array((agent.remoteCredentials?.password ?? "").utf8))
        for id in requests {
            _ = insert(
                FuzzedSTUN.message(.bindingSuccess, id, [.mappedAddress(FuzzedPeer.theirs.remote)], key: key))
        }
        poll()
        precondition(agent.selectedPath == FuzzedPeer.theirs, "the peer has answered")
    }

    private func insert(_ message: [UInt8]) -> ICEInsertResult? {
        var copy = message
        var span = copy.mutableSpan
        guard case .peer(id, .ice(let result)) = port.insert(&span, on: FuzzedPeer.theirs, at: now) else { return nil }
        return result
    }

    private static func transaction(of bytes: [UInt8]) -> STUNTransactionID? {
        do throws(STUNError) {
            let message = try STUNMessage(parsing: bytes.span)
            return message.type == .bindingRequest ? message.transactionID : nil
        } catch { return nil }
    }

    func take(_ datagram: Span<UInt8>, isUnknownPeer: Bool) {
        var copy: [UInt8] = []
        for index in datagram.indices { copy.append(datagram[index]) }
        var span = copy.mutableSpan
        switch port.insert(&span, on: isUnknownPeer ? FuzzedPeer.unknownPeer : FuzzedPeer.theirs, at: now) {
        case .peer(_, .media), .peer(_, .passed): preconditionFailure("media without keys")
        case .peer(_, .dtls), .peer(_, .dropped), .peer(_, .held):
            precondition(!isUnknownPeer, "a stranger's datagram was parsed")
        case .peer(_, .ice), .dropped: break
        }
        poll()
    }

    func advance(by duration: MediaDuration) {
        now = now + duration
        poll()
    }

    private func poll() {
        for _ in 0..<1000 {
            switch port.poll(at: now, into: &bytes) {
            // The candidates of the offer are checked, too.
            case .transmit(on: let path): precondition(path != FuzzedPeer.unknownPeer && bytes.count <= 1200)
            case .event(_, .stateChanged(_, to: .connected)): preconditionFailure("nobody has the certificate")
            case .event: break
            case .decode, .payload, .makeKeyFrame: preconditionFailure("nothing was received")
            case .wait(until: let time):
                precondition(time > now)
                return
            }
        }
        preconditionFailure("polling does not come to an end")
    }

    func expectEnd() {
        for _ in 0..<30 { advance(by: .seconds(3)) }
        // A connection that is closed is gone from the port.
        guard let peer = port[id] else { return precondition(port.count == 0) }
        precondition(peer.state == .failed || peer.state == .closed, "\(peer.state)")
    }
}

func peerSeeds() -> [FuzzTarget.Seed] {
    let dtls = dtlsSeeds().map(\.bytes)
    let stun = FuzzedSTUN.messages.map(\.bytes)
    let media: [[UInt8]] = [
        [0x80, 96, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9] + Array(repeating: 7, count: 40),
        [0x80, 200, 0, 6, 0, 0, 0, 9] + Array(repeating: 1, count: 40), [70, 0, 0, 1], [18, 0],
    ]
    return [
        FuzzTarget.Seed("controlled-client", agreed: 0, stun + media),
        FuzzTarget.Seed("controlled-server", agreed: 1, media + dtls.prefix(3)),
        FuzzTarget.Seed("controlling-client", agreed: 2, stun + dtls.prefix(2)),
        FuzzTarget.Seed("controlling-server", agreed: 3, dtls.prefix(4) + media),
    ]
}

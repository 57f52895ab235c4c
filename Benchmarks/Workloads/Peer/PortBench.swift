import RillCore
import RillPeer

/// A port with a thousand agents, each of which has a peer at an address of its own.
final class PortBench {
    private let port = ICEPort(peerLimit: 1000)
    private var genuine: [[UInt8]] = []
    private var forged: [[UInt8]] = []
    private var unknown: [[UInt8]] = []
    private let media = [0x80, 96] + [UInt8](repeating: 1, count: 1198)
    private var bytes: [UInt8] = []
    private var number = 0

    private static let peerCount = 1000

    init() throws {
        var generator = SeededGenerator(seed: 1)
        let wrong = STUNIntegrityKey(password: [1])
        for number in 0..<PortBench.peerCount {
            let (ours, theirs) = (ICECredentials(using: &generator), ICECredentials(using: &generator))
            let agent = ICEAgent(.controlled, credentials: ours, settings: ICESettings(seed: generator.next()))
            let peer = ICEAgent(.controlling, credentials: theirs, settings: ICESettings(seed: generator.next()))
            let server = UDPAddress(.v4(0xC000_0201), port: 5004)
            try agent.addLocalCandidate(server)
            try agent.setRemote(theirs, isLite: false, at: .zero)
            _ = try port.add(agent)
            let path = PortBench.path(number)
            try peer.addLocalCandidate(path.remote)
            try peer.setRemote(ours, isLite: false, at: .zero)
            for local in agent.localCandidates { _ = peer.addRemoteCandidate(local, at: .zero) }
            // Its path is known from now on.
            connect(peer, on: path)
            guard agent.selectedPath == path else { throw NoResult() }
            let key = STUNIntegrityKey(password: Array(ours.password.utf8))
            let names = "\(ours.usernameFragment):\(theirs.usernameFragment)"
            genuine.append(check(names, key, number))
            forged.append(check(names, wrong, number))
            unknown.append(check("stranger:peer", wrong, number))
        }
    }

    /// Carries datagrams between the port and a peer until neither has any.
    private func connect(_ peer: ICEAgent, on path: ICEPath) {
        var isIdle = false
        while !isIdle {
            isIdle = true
            sending: while true {
                switch peer.poll(at: .zero, into: &bytes) {
                case .transmit:
                    isIdle = false
                    _ = port.insert(bytes.span, on: path, at: .zero)
                case .event: break
                case .wait: break sending
                }
            }
            answering: while true {
                switch port.poll(at: .zero, into: &bytes) {
                case .transmit:
                    isIdle = false
                    peer.insert(bytes.span, on: ICEPath(UDPAddress(.v4(0xC000_0201), port: 5004)), at: .zero)
                case .event: break
                case .wait: break answering
                }
            }
        }
    }

    /// A check as Chromium sends it, about 100 bytes.
    private func check(_ names: String, _ key: STUNIntegrityKey, _ number: Int) -> [UInt8] {
        [UInt8](capacity: 200) { output in
            let id = STUNTransactionID(high: 1, low: UInt64(number))
            let writer = STUNMessageWriter(.bindingRequest, id, into: &output)
            writer.append(.username(Array(names.utf8)), into: &output)
            writer.append(.other(STUNAttributeType(rawValue: 0xC057), [0, 1, 0, 10]), into: &output)
            writer.append(.iceControlling(7), into: &output)
            writer.append(.useCandidate, into: &output)
            writer.append(.priority(1_853_824_767), into: &output)
            writer.finish(key, into: &output)
        }
    }

    private func next() -> (index: Int, path: ICEPath) {
        number += 1
        let index = number % PortBench.peerCount
        return (index, PortBench.path(index))
    }

    private static func path(_ index: Int) -> ICEPath {
        ICEPath(UDPAddress(.v4(0x0A00_0000 + UInt32(index)), port: 4000))
    }

    // MARK: Work

    /// Media of the peers.
    func data(count: Int) throws -> Int {
        let media = media
        return try repeating(count) { () -> Int? in
            guard case .peer(let peer, .data) = port.insert(media.span, on: next().path, at: .zero) else { return nil }
            return peer.rawValue
        }
    }

    /// Checks of the peers, which are answered.
    func checks(count: Int) throws -> Int {
        try repeating(count) { () -> Int? in
            let (index, path) = next()
            let request = genuine[index]
            guard case .peer(_, .answered) = port.insert(request.span, on: path, at: .zero) else { return nil }
            var answerByteCount = 0
            while true {
                switch port.poll(at: .zero, into: &bytes) {
                case .transmit: answerByteCount = bytes.count
                case .event: break
                case .wait: return answerByteCount
                }
            }
        }
    }

    /// Checks with a known fragment and the wrong integrity, from addresses of unknown peers.
    func forged(count: Int) throws -> Int {
        try repeating(count) { () -> Int? in
            let (index, path) = next()
            let request = forged[index]
            let unknownPeer = ICEPath(UDPAddress(path.remote.ip, port: 1))
            guard
                case .peer(let peer, .dropped(.wrongIntegrity)) = port.insert(request.span, on: unknownPeer, at: .zero)
            else { return nil }
            return peer.rawValue
        }
    }

    /// Checks with a fragment that no agent has.
    func unknown(count: Int) throws -> Int {
        try repeating(count) { () -> Int? in
            let (index, path) = next()
            let request = unknown[index]
            guard case .dropped(.unknownUsername) = port.insert(request.span, on: path, at: .zero) else { return nil }
            return index
        }
    }
}

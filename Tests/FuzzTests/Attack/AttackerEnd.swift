import RillCore
import RillPeer
import RillPeerSupport
import RillRTP
import RillSecurity

/// Protects packets as a peer with the right key could: also such whose numbers were used before.
struct AttackProtector: ~Copyable {
    private let key: SRTPKey
    private var protector: SRTPProtector

    init(_ key: SRTPKey) throws(SecurityError) {
        self.key = key
        protector = try SRTPProtector(key)
    }

    /// The datagram; `nil` for bytes that libsrtp does not protect: they are not RTP or RTCP by their header.
    mutating func protect(_ packet: [UInt8]) -> [UInt8]? {
        if let wire = AttackProtector.protect(packet, with: &protector) { return wire }
        // A number of before: other contexts do not know it. The receiver does.
        guard var other = try? SRTPProtector(key) else { return nil }
        return AttackProtector.protect(packet, with: &other)
    }

    private static func protect(_ packet: [UInt8], with protector: inout SRTPProtector) -> [UInt8]? {
        let wire = [UInt8](capacity: packet.count + protector.overhead) { output in
            _ = protector.protect(packet.span, into: &output)
        }
        return wire.isEmpty ? nil : wire
    }
}

/// A peer that has connected in good order, gives true feedback, and then sends what a script has.
///
/// All packets leave through one protector: those of the true connection are opened with its own key first. So numbers
/// of SRTP do not contradict each other.
final class AttackerEnd: NetworkEnd {
    let inner: PeerEnd
    private(set) var seen = SeenSources()
    private var protector: AttackProtector?
    private var own: SRTPUnprotector?
    private var theirs: SRTPUnprotector?
    private var outbox: [(socket: Int, bytes: [UInt8])] = []
    /// The newest request of STUN that came to its first socket, to be answered wrongly. The second one answers
    /// nothing.
    private(set) var lastCheck: STUNTransactionID?
    /// Whether true RTP and RTCP of the connection leave, its DTLS, and anything.
    var (sendsMedia, sendsDTLS, isSending) = (true, true, true)
    /// Whether it takes what comes.
    var isListening = true

    init(_ inner: PeerEnd) { self.inner = inner }

    var peer: PeerConnection { inner.peer }

    /// What it may send, as it was negotiated; what it receives, if it sends nothing.
    var formats: [AttackedFormat] {
        let sent = peer.sendingStreams.map { AttackedFormat($0.description) }
        return sent.isEmpty ? peer.receivingStreams.map { AttackedFormat($0.description) } : sent
    }

    var audioType: UInt8? {
        peer.negotiator.sections.first { $0.kind == .audio }?.formats.first?.payloadType.rawValue
    }

    /// Takes the keys, once it is connected.
    func arm() throws {
        guard let keys = peer.dtls?.srtpKeys else { return }
        protector = try AttackProtector(keys.sending)
        own = try SRTPUnprotector(keys.sending)
        theirs = try SRTPUnprotector(keys.receiving)
    }

    // MARK: Sending

    /// Puts an input where it leaves with the next ``advance(to:transmit:)``.
    ///
    /// - Returns: whether it is one: not if it cannot be protected.
    func send(_ input: AttackInput, using random: inout AttackRandom, at now: MediaTime) -> Bool {
        switch input {
        case .packet(let bytes):
            guard let wire = protector?.protect(bytes) else { return false }
            outbox.append((0, wire))
        case .damaged(let bytes):
            guard var wire = protector?.protect(bytes) else { return false }
            random.damage(&wire)
            outbox.append((0, wire))
        // Sometimes from an address that has checked nothing.
        case .raw(let bytes): outbox.append((random.isOne(in: 6) ? 1 : 0, bytes))
        case .data(let bytes): return (try? peer.dtls?.send(bytes.span, at: now)) != nil
        case .check(let number):
            guard let bytes = AttackCheck.message(number, of: peer.agent, lastCheck) else { return false }
            // Sometimes from an address that has checked nothing, as a copy would come.
            outbox.append((random.isOne(in: 4) ? 1 : 0, bytes))
        }
        return true
    }

    /// Sends bytes as they are, from another socket.
    func send(raw bytes: [UInt8], socket: Int) { outbox.append((socket, bytes)) }

    /// What would leave next.
    func takeOutbox() -> [[UInt8]] {
        defer { outbox.removeAll(keepingCapacity: true) }
        return outbox.map(\.bytes)
    }

    /// The datagram of a packet.
    func protect(_ packet: [UInt8]) -> [UInt8]? { protector?.protect(packet) }

    func advance(to now: MediaTime, transmit: (ICEPath, [UInt8]) -> Void) -> MediaTime {
        let next = inner.advance(to: now) { path, bytes in
            switch DatagramKind(of: bytes.span) {
            case .rtp, .rtcp: if isSending, sendsMedia, let wire = protectAgain(bytes) { transmit(path, wire) }
            case .dtls: if isSending, sendsDTLS { transmit(path, bytes) }
            default: if isSending { transmit(path, bytes) }
            }
        }
        if let path = peer.agent.selectedPath {
            for (socket, bytes) in outbox { transmit(ICEPath(socket: socket, path.remote), bytes) }
        }
        outbox.removeAll(keepingCapacity: true)
        return next
    }

    private func protectAgain(_ datagram: [UInt8]) -> [UInt8]? {
        var bytes = datagram
        var span = bytes.mutableSpan
        guard case .unprotected(_, let count) = own?.unprotect(&span) else { return own == nil ? datagram : nil }
        return protector?.protect(Array(bytes[..<count]))
    }

    // MARK: Receiving

    func take(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) {
        switch DatagramKind(of: datagram) {
        case .rtp, .rtcp: learn(datagram)
        case .stun:
            if let message = try? STUNMessage(parsing: datagram), message.type == .bindingRequest, path.socket == 0 {
                lastCheck = message.transactionID
            }
        default: break
        }
        if isListening { inner.take(datagram, on: path, at: now) }
    }

    private func learn(_ datagram: Span<UInt8>) {
        var bytes = datagram.array
        var span = bytes.mutableSpan
        guard case .unprotected(let kind, let count) = theirs?.unprotect(&span) else { return }
        let ids = (peer.sendingStreams.map(\.description) + peer.receivingStreams.map(\.description))
            .compactMap { $0.headerExtensions[.transportSequenceNumber] }
        seen.learn(Array(bytes[..<count]), isMedia: kind == .rtp, transportNumberID: ids.first)
    }
}

extension SeenSources {
    /// Notes the numbers of a packet of the other side.
    mutating func learn(_ packet: [UInt8], isMedia: Bool, transportNumberID: UInt8?) {
        guard let ssrc = isMedia ? SSRC(ofRTP: packet.span) : SSRC(ofSenderOf: packet.span) else { return }
        guard isMedia else {
            reporter = ssrc.rawValue
            // The middle of the NTP timestamp of a sender report.
            if packet.count >= 16, packet[1] == 200 {
                reportTime = packet[10...13].reduce(0) { $0 << 8 | UInt32($1) }
            }
            return
        }
        note(ssrc.rawValue, UInt16(packet[2]) << 8 | UInt16(packet[3]))
        if let id = transportNumberID, let number = TransportSequenceNumber(id: id, inRTP: packet.span) {
            transportNumber = number.number.rawValue
        }
    }
}

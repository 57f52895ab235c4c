import RillCore
import RillRTP
import RillSecurity
import RillSession
import RillTransport

/// The output of a participant: copies each packet once, into the outgoing datagram, and protects it there.
///
/// Threads: any; packets of one call are sent as one batch.
final class CallOutput: Sendable {
    private let state: Monitor<State>
    private let session: SharedSession
    private let line: CallLine
    private let sharesPort: Bool
    /// Where our RTCP goes by their description.
    private let described: UDPAddress?

    private struct State {
        var address: UDPAddress?
        /// Where RTCP comes from, if not from `address`.
        var reportSource: UDPAddress?
        /// The key of our packets, for a description.
        var key: SRTPKey?
    }

    init(_ participant: ParticipantSettings, of session: SharedSession, over line: CallLine) {
        state = Monitor(State(address: participant.address, key: participant.sendingKey))
        (self.session, self.line) = (session, line)
        (sharesPort, described) = (participant.sharesPort, participant.reportAddress)
    }

    /// Sends the session's datagrams; they are lost if the address is not known, or the keys.
    func send(_ datagrams: DatagramQueue) { send(datagrams, rtcpCopies: 1) }

    /// Sends the last datagrams of a session. A loss would not be repaired, so RTCP is sent three times; a duplicate
    /// is reported once.
    func sendFarewell(_ datagrams: DatagramQueue) { send(datagrams, rtcpCopies: 3) }

    private func send(_ datagrams: DatagramQueue, rtcpCopies: Int) {
        // The transport itself may know the destination.
        let isConnected = line.transport.remoteAddress != nil
        let (address, reportAddress) = isConnected ? (nil, nil) : destinations
        guard address != nil || isConnected else { return datagrams.deliver { _, _, _ in } }
        line.write { outgoing, flush in
            datagrams.deliver { packet, _, datagram in
                for _ in 0..<(packet.kind == .rtcp ? rtcpCopies : 1) {
                    if outgoing.isFull { flush(&outgoing) }
                    // A packet that cannot be protected is dropped, and counted there.
                    outgoing.append(to: packet.kind == .rtcp ? reportAddress : address) { output in
                        session.protect(datagram.span, into: &output)
                    }
                }
            }
        }
    }

    /// Where RTP and RTCP go.
    private var destinations: (rtp: UDPAddress?, rtcp: UDPAddress?) {
        state.withLock { state in
            let reports = state.reportSource ?? (sharesPort ? state.address : described ?? behind(state.address))
            return (state.address, reports)
        }
    }

    var address: UDPAddress? { state.withLock { $0.address } }
    func move(to address: UDPAddress) {
        state.withLock { state in
            state.address = address
            // A program that was started again has another port for RTCP too, or none.
            state.reportSource = nil
        }
    }

    /// Notes that RTCP of theirs comes from an address of its own: ours goes there.
    func hearReports(from source: UDPAddress) { state.withLock { $0.reportSource = source } }

    /// Whether RTCP from an address is expected: by their description, or as the port behind that of RTP.
    func expectsReports(from source: UDPAddress) -> Bool {
        state.withLock { $0.reportSource == source || described == source || behind($0.address) == source }
    }

    /// The port behind that of RTP (RFC 3550 §11).
    private func behind(_ address: UDPAddress?) -> UDPAddress? {
        address.map { $0.port == .max ? $0 : UDPAddress($0.ip, port: $0.port + 1) }
    }

    var key: SRTPKey? {
        get { state.withLock { $0.key } }
        set { state.withLock { $0.key = newValue } }
    }
}

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

    private struct State {
        var address: UDPAddress?
        /// The key of our packets, for a description.
        var key: SRTPKey?
    }

    init(_ participant: ParticipantSettings, of session: SharedSession, over line: CallLine) {
        state = Monitor(State(address: participant.address, key: participant.sendingKey))
        (self.session, self.line) = (session, line)
    }

    /// Sends the session's datagrams; they are lost if the address is not known, or the keys.
    func send(_ datagrams: DatagramQueue) { send(datagrams, rtcpCopies: 1) }

    /// Sends the last datagrams of a session. A loss would not be repaired, so RTCP is sent three times; a duplicate
    /// is reported once.
    func sendFarewell(_ datagrams: DatagramQueue) { send(datagrams, rtcpCopies: 3) }

    private func send(_ datagrams: DatagramQueue, rtcpCopies: Int) {
        // The transport itself may know the destination.
        let address = line.transport.remoteAddress == nil ? address : nil
        guard address != nil || line.transport.remoteAddress != nil else { return datagrams.deliver { _, _, _ in } }
        line.write { outgoing, flush in
            datagrams.deliver { packet, _, datagram in
                for _ in 0..<(packet.kind == .rtcp ? rtcpCopies : 1) {
                    if outgoing.isFull { flush(&outgoing) }
                    // A packet that cannot be protected is dropped, and counted there.
                    outgoing.append(to: address) { output in session.protect(datagram.span, into: &output) }
                }
            }
        }
    }

    var address: UDPAddress? { state.withLock { $0.address } }
    func move(to address: UDPAddress) { state.withLock { $0.address = address } }

    var key: SRTPKey? {
        get { state.withLock { $0.key } }
        set { state.withLock { $0.key = newValue } }
    }
}

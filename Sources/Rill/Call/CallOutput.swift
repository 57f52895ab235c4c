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
    private let line: CallLine

    private struct State: ~Copyable {
        var protector: SRTPProtector?
        var key: SRTPKey?
        var address: UDPAddress?
        /// The transport itself knows the destination.
        var isConnected: Bool
        /// Nothing may leave before the key is there.
        var awaitsKey: Bool
    }

    init(_ participant: ParticipantSettings, over line: CallLine) throws(SecurityError) {
        let protector: SRTPProtector? = if let key = participant.sendingKey { try SRTPProtector(key) } else { nil }
        state = Monitor(
            State(
                protector: protector, key: participant.sendingKey, address: participant.address,
                isConnected: line.transport.remoteAddress != nil, awaitsKey: participant.awaitsKeys))
        self.line = line
    }

    /// Sends the session's datagrams; they are lost if the address is not known.
    func send(_ datagrams: DatagramQueue) { send(datagrams, rtcpCopies: 1) }

    /// Sends the last datagrams of a session. A loss would not be repaired, so RTCP is sent three times; a duplicate
    /// is reported once.
    func sendFarewell(_ datagrams: DatagramQueue) { send(datagrams, rtcpCopies: 3) }

    private func send(_ datagrams: DatagramQueue, rtcpCopies: Int) {
        state.withLock { state in
            guard state.address != nil || state.isConnected, !state.awaitsKey else {
                return datagrams.deliver { _, _, _ in }
            }
            let address = state.isConnected ? nil : state.address
            line.write { outgoing, flush in
                datagrams.deliver { packet, _, datagram in
                    for _ in 0..<(packet.kind == .rtcp ? rtcpCopies : 1) {
                        if outgoing.isFull { flush(&outgoing) }
                        outgoing.append(to: address) { output in
                            // A packet that cannot be protected is dropped, and counted there.
                            if state.protector?.protect(datagram.span, into: &output) == nil {
                                output.append(copying: datagram.span)
                            }
                        }
                    }
                }
            }
        }
    }

    var address: UDPAddress? { state.withLock { $0.address } }

    func move(to address: UDPAddress) { state.withLock { $0.address = address } }

    /// Protects with another key from the next packet on. Precondition: there is a key.
    func change(to key: SRTPKey) throws(SecurityError) {
        try state.withLock { (state) throws(SecurityError) in
            try state.protector?.change(to: key)
            state.key = key
        }
    }

    /// Sets the key that was awaited.
    func setKey(_ key: SRTPKey) throws(SecurityError) {
        try state.withLock { (state) throws(SecurityError) in
            state.protector = try SRTPProtector(key)
            (state.key, state.awaitsKey) = (key, false)
        }
    }

    var key: SRTPKey? { state.withLock { $0.key } }

    var isProtected: Bool { state.withLock { $0.protector != nil } }
    var statistics: ProtectStatistics? { state.withLock { $0.protector?.statistics } }
}

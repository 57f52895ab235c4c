import Rill
import RillRTP
import RillTransport
import Synchronization

/// A socket that records when the system accepted the last packet of a frame.
final class WatchedTransport: DatagramTransport {
    private let socket: UDPSocket
    private let clock: LiveClock
    private let log: LatencyLog
    private let layers = Mutex<[SSRC: StreamLayer.RID]>([:])

    init(_ socket: UDPSocket, _ clock: LiveClock, _ log: LatencyLog) {
        (self.socket, self.clock, self.log) = (socket, clock, log)
    }

    /// The layer of each SSRC.
    func watch(_ layers: [SSRC: StreamLayer.RID]) { self.layers.withLock { $0 = layers } }

    func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome {
        var ends: [RTPHeader] = []
        for index in 0..<datagrams.count {
            let bytes = datagrams.bytes(at: index)
            // Datagrams that are not RTP are RTCP reports.
            guard PacketKind(of: bytes) == .rtp else { continue }
            do throws(RTPError) {
                let header = try RTPPacket(parsing: bytes).header
                if header.marker { ends.append(header) }
            } catch {
                preconditionFailure("Rill wrote an invalid packet: \(error)")
            }
        }
        let outcome = socket.send(&datagrams)
        let now = clock.now
        let layers = layers.withLock { $0 }
        for header in ends {
            if let rid = layers[header.ssrc] { log.noteSent(header, of: rid, at: now) }
        }
        return outcome
    }

    func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome { try socket.receive(into: &datagrams, within: timeout) }

    var localAddress: UDPAddress { socket.localAddress }
    var statistics: TransportStatistics { socket.statistics }
    func close() { socket.close() }
}

import Rill
import RillRTP
import RillTransport
import Synchronization

/// A socket that remembers what was sent over it. With SRTP headers are in the clear.
final class SentDatagrams: DatagramTransport {
    /// A datagram, in the order of sending.
    struct Datagram {
        var time: MediaTime
        var byteCount: Int
        /// `nil` for RTCP.
        var header: RTPHeader?
        /// Without the authentication tag, and without what is only padding.
        var payloadByteCount = 0
    }

    private let socket: UDPSocket
    private let clock: LiveClock
    /// The bytes that SRTP adds.
    private let tagByteCount: Int
    private let log = Mutex<[Datagram]>([])

    init(_ socket: UDPSocket, _ clock: LiveClock, tagByteCount: Int) {
        (self.socket, self.clock, self.tagByteCount) = (socket, clock, tagByteCount)
    }

    var all: [Datagram] { log.withLock { $0 } }

    func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome {
        // With the lock, so that the log has the order of sending.
        log.withLock { log in
            for index in 0..<datagrams.count { log.append(datagram(datagrams.bytes(at: index))) }
            return socket.send(&datagrams)
        }
    }

    private func datagram(_ bytes: Span<UInt8>) -> Datagram {
        var datagram = Datagram(time: clock.now, byteCount: bytes.count)
        guard PacketKind(of: bytes) == .rtp else { return datagram }
        var copy = (0..<bytes.count).map { bytes[$0] }
        // The length of padding is encrypted.
        let isPadding = copy[0] & 0x20 != 0
        copy[0] &= ~0x20
        do throws(RTPError) {
            let packet = try RTPPacket(parsing: copy.span)
            datagram.header = packet.header
            datagram.payloadByteCount = isPadding ? 0 : max(0, packet.payload.count - tagByteCount)
        } catch {
            preconditionFailure("Rill wrote an invalid packet: \(error)")
        }
        return datagram
    }

    func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome { try socket.receive(into: &datagrams, within: timeout) }

    var localAddress: UDPAddress { socket.localAddress }
    var statistics: TransportStatistics { socket.statistics }
    func close() { socket.close() }
}

import Rill
import RillCore
import RillRTP

/// Listens at a port of this machine, and counts what a sender's VP8 stream comes to.
///
/// The system keeps what comes until ``drain()`` fetches it. What it had no room for shows as gaps in the sequence
/// numbers.
final class PacketTally {
    private let socket: UDPSocket
    private var datagram: [UInt8] = []
    private var times: Set<RTPTimestamp> = []
    private var codedBytes = 0
    private var packetCount = 0
    private var numbers = CounterExtender(bitWidth: 16)
    private var first: Int64?

    /// Opens a port that nobody else has.
    init() throws(TransportError) {
        var settings = UDPSocket.Settings()
        settings.receiveBufferByteCount = 4 << 20
        socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0), settings: settings)
    }

    /// Where it listens.
    var address: UDPAddress { socket.localAddress }

    /// Counts what has come. RTCP may come to the same port, and is passed over.
    func drain() throws(TransportError) {
        while try socket.receive(into: &datagram, within: .zero) != nil {
            guard PacketKind(of: datagram.span) == .rtp else { continue }
            count(datagram.span)
        }
    }

    /// What is no VP8 in RTP makes no difference: the work then differs, and that is said.
    private func count(_ datagram: Span<UInt8>) {
        guard let packet = try? RTPPacket(parsing: datagram),
            let payload = try? VP8Payload(parsing: packet.payload)
        else { return }
        packetCount += 1
        codedBytes += payload.piece.count
        times.insert(packet.header.timestamp)
        let number = numbers.extend(UInt32(packet.header.sequenceNumber.rawValue))
        first = min(first ?? number, number)
    }

    /// What has come since the last call; counting begins anew.
    func take() -> Work {
        let expected = first.map { (numbers.newest ?? $0) - $0 + 1 } ?? 0
        let work = Work(
            frames: times.count, codedBytes: codedBytes, packetsLost: max(0, Int(expected) - packetCount))
        (times, codedBytes, packetCount) = ([], 0, 0)
        (numbers, first) = (CounterExtender(bitWidth: 16), nil)
        return work
    }
}

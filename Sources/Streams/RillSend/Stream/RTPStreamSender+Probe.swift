import RillCore
import RillRTP

extension RTPStreamSender {
    /// Sends its newest packets again on the retransmission stream, to fill a probe of the path. A receiver that lost
    /// one of them takes it, and drops the others as duplicates. They are counted as padding.
    ///
    /// - Parameters:
    ///   - byteCount: the bytes to send, at least, in two packets or more.
    ///   - now: the current time.
    ///   - sink: where to send the packets.
    /// - Returns: the number of packets sent; zero without a retransmission stream, or before the first packet.
    package mutating func sendProbe(byteCount: Int, at now: MediaTime, to sink: some PacketSink) -> Int {
        guard settings.retransmission != nil else { return 0 }
        let kept = min(history.count, history.capacity, RTPStreamSender.probePacketLimit)
        var (sent, bytes, age) = (0, 0, 1)
        while sent < 2 || bytes < byteCount {
            guard kept > 0, sent < RTPStreamSender.probePacketLimit else { break }
            let number = history.nextSequenceNumber.advanced(by: -age)
            age = age < kept ? age + 1 : 1
            guard let size = history.packet(number)?.bytes.count else { break }
            let payload = outlet.resend(number, as: .padding, of: history, at: now, to: sink, counting: &statistics)
            statistics.paddingPacketsSent += 1
            statistics.paddingBytesSent += payload
            sent += 1
            bytes += size
        }
        return sent
    }

    /// The most packets of a probe.
    private static var probePacketLimit: Int { 64 }
}

import RillCore
import RillRTP

/// Rewrites a publisher's packets of audio for one viewer: with the payload type and SSRC of the viewer's session, and
/// numbers and timestamps that go on when another publisher takes over. Packets keep their order and their gaps.
///
/// Header extensions are left out: their identifiers were negotiated with the publisher.
struct AudioRewriter: Sendable {
    let ssrc: SSRC
    let payloadType: PayloadType
    /// The publisher's SSRC.
    private var source: SSRC?
    private var numberOffset: UInt16 = 0
    private var timestampOffset: UInt32 = 0
    /// The newest packet as it was sent.
    private var newest: (number: UInt16, timestamp: UInt32, time: MediaTime)?

    /// Opus counts 48,000 times a second, whatever it encodes (RFC 7587 §4.1).
    private static let clockRate = Double(ClockRate.opus.hertz)

    init(ssrc: SSRC, payloadType: PayloadType) { (self.ssrc, self.payloadType) = (ssrc, payloadType) }

    /// Rewrites a packet.
    ///
    /// - Parameters:
    ///   - datagram: the packet, decrypted.
    ///   - now: the current time.
    ///   - output: receives the packet.
    /// - Returns: whether it is a packet.
    mutating func rewrite(_ datagram: Span<UInt8>, at now: MediaTime, into output: inout [UInt8]) -> Bool {
        guard let packet = try? RTPPacket(parsing: datagram), packet.payload.count > 0 else { return false }
        var header = packet.header
        if header.ssrc != source { begin(header, at: now) }
        header.ssrc = ssrc
        header.payloadType = payloadType
        header.sequenceNumber = SequenceNumber(header.sequenceNumber.rawValue &+ numberOffset)
        header.timestamp = RTPTimestamp(header.timestamp.rawValue &+ timestampOffset)
        note(header, at: now)
        output.removeAll(keepingCapacity: true)
        let rewritten = RTPPacket(header: header, payload: packet.payload)
        output.append(addingCapacity: rewritten.byteCount) { rewritten.write(into: &$0) }
        return true
    }

    private mutating func begin(_ header: RTPHeader, at now: MediaTime) {
        source = header.ssrc
        guard let newest else { return }
        let elapsed = UInt32(
            truncatingIfNeeded: Int64(min((now - newest.time).seconds, 3600) * AudioRewriter.clockRate))
        numberOffset = newest.number &+ 1 &- header.sequenceNumber.rawValue
        timestampOffset = newest.timestamp &+ max(elapsed, 1) &- header.timestamp.rawValue
    }

    private mutating func note(_ header: RTPHeader, at now: MediaTime) {
        let number = header.sequenceNumber.rawValue
        if let newest, Int16(bitPattern: number &- newest.number) <= 0 { return }
        newest = (number, header.timestamp.rawValue, now)
    }
}

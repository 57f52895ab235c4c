import RillRTP
import RillSecurity

/// The bytes that hexadecimal digits say.
func bytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// A packet of RTP, whose payload says which it is.
func rtpPacket(_ number: Int, ssrc: SSRC = SSRC(0xCAFE), byteCount: Int = 100) -> [UInt8] {
    let header = RTPHeader(
        marker: number % 3 == 0, payloadType: PayloadType(96),
        sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: number)),
        timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: number &* 3000)), ssrc: ssrc)
    let payload = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &+ number) }
    return [UInt8](capacity: 12 + byteCount) { RTPPacket(header: header, payload: payload.span).write(into: &$0) }
}

/// A receiver report without blocks, and words behind it that say which it is.
func rtcpPacket(_ number: Int, ssrc: SSRC = SSRC(0xCAFE)) -> [UInt8] {
    let report: [UInt8] = [0x80, 201, 0, 1] + word(ssrc.rawValue)
    let name = Array("Rill".utf8)
    return report + [0x80, 204, 0, 3] + word(ssrc.rawValue) + name + word(UInt32(truncatingIfNeeded: number))
}

private func word(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) }
}

extension SRTPProtector {
    /// The packet, protected; nothing where that was refused.
    mutating func protected(_ packet: [UInt8]) -> (outcome: ProtectOutcome, bytes: [UInt8]) {
        var outcome = ProtectOutcome.malformed
        let bytes = [UInt8](capacity: packet.count + overhead) { outcome = protect(packet.span, into: &$0) }
        return (outcome, bytes)
    }
}

extension SRTPUnprotector {
    /// The packet in a datagram, opened.
    mutating func opened(_ datagram: [UInt8]) -> (outcome: UnprotectOutcome, bytes: [UInt8]) {
        var bytes = datagram
        var span = bytes.mutableSpan
        let outcome = unprotect(&span)
        guard case .unprotected(_, let byteCount) = outcome else { return (outcome, []) }
        return (outcome, Array(bytes[..<byteCount]))
    }
}

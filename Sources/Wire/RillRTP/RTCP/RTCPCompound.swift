/// Iterates over the packets of a compound RTCP packet (RFC 3550 §6.1).
///
/// Packets of unknown types are returned like all others, because the length field gives the start of the next
/// packet. The compound need not start with a report, so that reduced-size RTCP is accepted (RFC 5506); see
/// ``isReducedSize``.
///
/// ```swift
/// var compound = RTCPCompound(datagram)
/// while let packet = try compound.next() {
///     switch try RTCPMessage(parsing: packet) {
///     case .pictureLossIndication(let request): sendKeyFrame(of: request.media)
///     case .genericNACK(let nack): retransmit(nack)
///     default: continue
///     }
/// }
/// ```
///
/// The two errors differ. An error of ``next()`` means that the rest of the datagram cannot be parsed, and ends the
/// iteration. An error of ``RTCPMessage`` concerns a single packet; the next may be valid.
///
/// A view that cannot outlive the bytes. Accepts arbitrary bytes and allocates nothing.
public struct RTCPCompound: ~Escapable {
    private var rest: Span<UInt8>
    /// Whether the first packet is not a report, which makes feedback faster and smaller (RFC 5506 §3.4).
    public let isReducedSize: Bool

    /// The packets of `datagram`.
    @_lifetime(copy datagram)
    public init(_ datagram: Span<UInt8>) {
        rest = datagram
        let type = datagram.count > 1 ? RTCPPacketType(rawValue: datagram[1]) : .receiverReport
        isReducedSize = type != .senderReport && type != .receiverReport
    }

    /// Returns the next packet, or `nil` after the last one and after an error.
    ///
    /// - Throws: `truncated`, `unsupportedVersion`, `invalidPadding`, or `misplacedPadding` if a packet with padding
    ///   is not the last (RFC 3550 §6.4.1).
    @_lifetime(copy self)
    public mutating func next() throws(RTPError) -> RTCPPacket? {
        guard !rest.isEmpty else { return nil }
        do throws(RTPError) {
            let packet = try RTCPPacket(parsing: rest)
            rest = rest.extracting(packet.byteCount...)
            guard packet.paddingByteCount == 0 || rest.isEmpty else {
                throw .misplacedPadding(count: packet.paddingByteCount, following: rest.count)
            }
            return packet
        } catch {
            rest = rest.extracting(first: 0)
            throw error
        }
    }
}

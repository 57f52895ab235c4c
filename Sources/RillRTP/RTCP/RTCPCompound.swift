/// The packets of an RTCP compound, one after the other (RFC 3550 §6.1).
///
/// Packets of unknown type come like all others: their length says where the next one begins. That the compound begins
/// with a report is not asked, so that reduced-size ones pass (RFC 5506); ``isReducedSize`` tells them apart.
///
///     var compound = RTCPCompound(datagram)
///     while let packet = try compound.next() {
///         switch try RTCPMessage(parsing: packet) {
///         case .pictureLossIndication(let request): …
///         case .unknown: continue
///         …
///         }
///     }
///
/// What throws differs: an error of ``next()`` means that the rest of the datagram cannot be told apart and is the end
/// of the iteration; an error of ``RTCPMessage`` concerns one packet, and the next may be good.
///
/// A view: it lives no longer than the bytes. Takes any bytes, allocates nothing.
public struct RTCPCompound: ~Escapable {
    private var rest: Span<UInt8>
    /// Whether the first packet is no report, so that feedback comes sooner and smaller (RFC 5506 §3.4).
    public let isReducedSize: Bool

    /// The packets of `datagram`.
    @_lifetime(copy datagram)
    public init(_ datagram: Span<UInt8>) {
        rest = datagram
        let type = datagram.count > 1 ? RTCPPacketType(rawValue: datagram[1]) : .receiverReport
        isReducedSize = type != .senderReport && type != .receiverReport
    }

    /// The next packet; `nil` behind the last, and after an error.
    ///
    /// - Throws: `truncated`, `unsupportedVersion`, `invalidPadding`, or `misplacedPadding` when a packet with padding
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

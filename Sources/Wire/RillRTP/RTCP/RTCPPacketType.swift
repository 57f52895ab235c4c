/// The packet type, the second byte of an RTCP packet (RFC 3550 §12.1, RFC 4585 §6.1).
@frozen
public struct RTCPPacketType: Hashable, Sendable, RawRepresentable {
    /// The value on the wire.
    public let rawValue: UInt8

    /// The type with that value, known or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// SR: what a sender has sent, and when.
    public static let senderReport = RTCPPacketType(rawValue: 200)
    /// RR: what a receiver has received.
    public static let receiverReport = RTCPPacketType(rawValue: 201)
    /// SDES: the descriptions of sources.
    public static let sourceDescription = RTCPPacketType(rawValue: 202)
    /// BYE: sources that leave.
    public static let goodbye = RTCPPacketType(rawValue: 203)
    /// APP: application-defined data.
    public static let application = RTCPPacketType(rawValue: 204)
    /// RTPFB: transport layer feedback; the count field is its format (FMT).
    public static let transportFeedback = RTCPPacketType(rawValue: 205)
    /// PSFB: payload-specific feedback; the count field is its format (FMT).
    public static let payloadFeedback = RTCPPacketType(rawValue: 206)
    /// XR: extended reports (RFC 3611).
    public static let extendedReport = RTCPPacketType(rawValue: 207)
}

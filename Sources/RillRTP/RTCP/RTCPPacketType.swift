/// The second byte of an RTCP packet: what it is (RFC 3550 §12.1, RFC 4585 §6.1).
@frozen
public struct RTCPPacketType: Hashable, Sendable, RawRepresentable {
    /// The number as it stands on the wire.
    public let rawValue: UInt8

    /// The type of that number, known or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// SR: what a sender has sent, and when.
    public static let senderReport = RTCPPacketType(rawValue: 200)
    /// RR: what a receiver has received.
    public static let receiverReport = RTCPPacketType(rawValue: 201)
    /// SDES: names of sources.
    public static let sourceDescription = RTCPPacketType(rawValue: 202)
    /// BYE: sources that end.
    public static let goodbye = RTCPPacketType(rawValue: 203)
    /// APP: whatever an application likes.
    public static let application = RTCPPacketType(rawValue: 204)
    /// RTPFB: feedback that concerns packets; the count field says which (FMT).
    public static let transportFeedback = RTCPPacketType(rawValue: 205)
    /// PSFB: feedback that concerns pictures; the count field says which (FMT).
    public static let payloadFeedback = RTCPPacketType(rawValue: 206)
    /// XR: extended reports (RFC 3611).
    public static let extendedReport = RTCPPacketType(rawValue: 207)
}

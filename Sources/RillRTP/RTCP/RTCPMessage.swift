/// What an RTCP packet says, for the types that Rill knows.
///
/// A view: it lives no longer than the bytes.
public enum RTCPMessage: ~Escapable {
    /// SR.
    case senderReport(SenderReport)
    /// RR.
    case receiverReport(ReceiverReport)
    /// SDES.
    case sourceDescription(SourceDescription)
    /// BYE.
    case goodbye(Goodbye)
    /// PLI.
    case pictureLossIndication(PictureLossIndication)
    /// FIR.
    case fullIntraRequest(FullIntraRequest)
    /// Any other type, or feedback of any other format.
    case unknown(type: RTCPPacketType, count: UInt8)

    /// Takes a packet apart.
    ///
    /// - Throws: `truncated` or `invalidCount`.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        switch (packet.type, packet.count) {
        case (.senderReport, _):
            self = .senderReport(try SenderReport.parse(packet))
        case (.receiverReport, _):
            self = .receiverReport(try ReceiverReport.parse(packet))
        case (.sourceDescription, _):
            self = .sourceDescription(try SourceDescription(parsing: packet))
        case (.goodbye, _):
            self = .goodbye(try Goodbye(parsing: packet))
        case (.payloadFeedback, PictureLossIndication.format):
            self = .pictureLossIndication(try PictureLossIndication.parse(packet))
        case (.payloadFeedback, FullIntraRequest.format):
            self = .fullIntraRequest(try FullIntraRequest(parsing: packet))
        default:
            self = .unknown(type: packet.type, count: packet.count)
        }
    }
}

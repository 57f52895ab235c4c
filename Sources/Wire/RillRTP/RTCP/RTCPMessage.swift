/// The parsed contents of an RTCP packet, for the types that Rill knows.
///
/// A view that cannot outlive the bytes.
public enum RTCPMessage: ~Escapable {
    /// SR.
    case senderReport(SenderReport)
    /// RR.
    case receiverReport(ReceiverReport)
    /// SDES.
    case sourceDescription(SourceDescription)
    /// BYE.
    case goodbye(Goodbye)
    /// APP.
    case application(ApplicationPacket)
    /// Generic NACK.
    case genericNACK(GenericNACK)
    /// Transport-wide feedback.
    case transportFeedback(TransportFeedback)
    /// Congestion control feedback.
    case congestionControlFeedback(CongestionControlFeedback)
    /// PAUSE-RESUME.
    case pauseResume(PauseResume)
    /// PLI.
    case pictureLossIndication(PictureLossIndication)
    /// FIR.
    case fullIntraRequest(FullIntraRequest)
    /// REMB.
    case receiverEstimatedMaximumBitrate(ReceiverEstimatedMaximumBitrate)
    /// XR.
    case extendedReport(ExtendedReport)
    /// Any other type, or feedback in any other format, unparsed.
    case unknown(RTCPPacket)

    /// Parses a packet.
    ///
    /// - Throws: the errors of the parser for its type. They do not affect the other packets of the compound.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        switch (packet.type, packet.count) {
        case (.senderReport, _):
            self = .senderReport(try SenderReport(parsing: packet))
        case (.receiverReport, _):
            self = .receiverReport(try ReceiverReport(parsing: packet))
        case (.sourceDescription, _):
            self = .sourceDescription(try SourceDescription(parsing: packet))
        case (.goodbye, _):
            self = .goodbye(try Goodbye(parsing: packet))
        case (.application, _):
            self = .application(try ApplicationPacket(parsing: packet))
        case (.transportFeedback, GenericNACK.format):
            self = .genericNACK(try GenericNACK(parsing: packet))
        case (.transportFeedback, TransportFeedback.format):
            self = .transportFeedback(try TransportFeedback(parsing: packet))
        case (.transportFeedback, CongestionControlFeedback.format):
            self = .congestionControlFeedback(try CongestionControlFeedback(parsing: packet))
        case (.transportFeedback, PauseResume.format):
            self = .pauseResume(try PauseResume(parsing: packet))
        case (.payloadFeedback, PictureLossIndication.format):
            self = .pictureLossIndication(try PictureLossIndication(parsing: packet))
        case (.payloadFeedback, FullIntraRequest.format):
            self = .fullIntraRequest(try FullIntraRequest(parsing: packet))
        case (.payloadFeedback, ReceiverEstimatedMaximumBitrate.format)
        where ReceiverEstimatedMaximumBitrate.isIdentifier(of: packet):
            self = .receiverEstimatedMaximumBitrate(try ReceiverEstimatedMaximumBitrate(parsing: packet))
        case (.extendedReport, _):
            self = .extendedReport(try ExtendedReport(parsing: packet))
        default:
            self = .unknown(packet)
        }
    }
}

import Rill
import RillCore
import RillRTP
import RillSend

/// The payload types of `rill send`, and what `rill receive` assumes where no session description says otherwise.
enum StreamPayloadTypes {
    static let vp8 = PayloadType(96)
    static let vp9 = PayloadType(98)
    static let rtx = PayloadType(97)
    static let red = PayloadType(124)
    static let fec = PayloadType(125)

    /// The table of payload types, for help.
    static let table = """
          96   VP8
          98   VP9
          97   RTX, retransmissions (--no-rtx: on the original stream)
          124  RED and
          125  ULPFEC, only with --fec: all packets are then in RED
        """

    static func media(_ codec: VideoCodec) -> PayloadType { codec == .vp9 ? vp9 : vp8 }

    /// Applies the payload types to the settings of a sender.
    ///
    /// - Parameters:
    ///   - send: the settings.
    ///   - isSimulcast: whether several streams are sent, named by RIDs in header extensions. A single stream has no
    ///     header extensions: players drop them, and once GStreamer's RED decoder has dropped them, FEC no longer
    ///     matches.
    ///   - isRTX: whether retransmissions have a stream of their own.
    ///   - protection: how frames are protected by FEC packets.
    static func apply(to send: inout SendSettings, isSimulcast: Bool, rtx isRTX: Bool, fec protection: Protection) {
        (send.payloadType, send.vp9PayloadType) = (vp8, vp9)
        send.retransmissionPayloadType = isRTX ? rtx : nil
        send.fec = protection.settings(payloadType: fec, redPayloadType: red)
        if !isSimulcast { send.headerExtensions = HeaderExtensionMap() }
        // FFmpeg 5.1 reads only this mode; all others read it too.
        send.vp9Mode = .nonFlexible
    }

    /// The stream that `rill send` sends by default: repaired by RTX, without FEC.
    static func assumed(_ codec: VideoCodec) -> StreamDescription {
        var stream = StreamDescription(media(codec), RTPFormat.Encoding(codec.rawValue))
        if codec == .vp9 { stream.parameters = [RTPFormat.Parameter("profile-id", "0")] }
        stream.repair.retransmission = RepairSettings.Retransmission(ssrc: nil, payloadType: rtx)
        stream.feedback = [.nack, .pictureLossIndication, .fullIntraRequest]
        stream.usesReducedSizeRTCP = true
        return stream
    }
}

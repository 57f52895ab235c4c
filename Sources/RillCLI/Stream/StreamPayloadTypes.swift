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

    /// The list of them, for help.
    static let table = """
          96   VP8
          98   VP9
          97   RTX, retransmissions (--no-rtx: they come as they were)
          124  RED and
          125  ULPFEC, with --fec alone: all packets are then in RED
        """

    static func media(_ codec: VideoCodec) -> PayloadType { codec == .vp9 ? vp9 : vp8 }

    /// Puts them into what is sent.
    ///
    /// - Parameters:
    ///   - isSimulcast: several streams have names, in header extensions. One stream alone has none of these: players drop them, and
    ///     GStreamer's RED decoder with them what FEC packets protect.
    ///   - fec: FEC packets for each frame, zero for none.
    static func apply(to send: inout SendSettings, isSimulcast: Bool, rtx isRTX: Bool, fec percentage: Percentage) {
        (send.payloadType, send.vp9PayloadType) = (vp8, vp9)
        send.retransmissionPayloadType = isRTX ? rtx : nil
        send.fec =
            percentage > .zero
            ? FECSettings(percentage: percentage, payloadType: fec, redPayloadType: red) : nil
        if !isSimulcast { send.headerExtensions = HeaderExtensionMap() }
        // What FFmpeg 5.1 reads, and all others do.
        send.vp9Mode = .nonFlexible
    }

    /// What `rill send` sends by default: one stream, repaired by RTX.
    static func assumed(_ codec: VideoCodec) -> StreamDescription {
        var stream = StreamDescription(media(codec), RTPFormat.Encoding(codec.rawValue))
        if codec == .vp9 { stream.parameters = [RTPFormat.Parameter("profile-id", "0")] }
        stream.repair.retransmission = RepairSettings.Retransmission(ssrc: nil, payloadType: rtx)
        stream.feedback = [.nack, .pictureLossIndication, .fullIntraRequest]
        stream.usesReducedSizeRTCP = true
        return stream
    }
}

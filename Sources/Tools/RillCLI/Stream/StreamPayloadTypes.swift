import Rill
import RillCore
import RillRTP
import RillSend

/// The payload types of `rill send`, and what `rill receive` assumes where no session description says otherwise.
enum StreamPayloadTypes {
    static let rtx = PayloadType(97)
    static let red = PayloadType(124)
    static let fec = PayloadType(125)

    /// The table of payload types, for help.
    static let table = """
        \(VideoCodec.allCases.map { "  \(media($0))   \($0)" }.joined(separator: "\n"))
          97   RTX, retransmissions (--no-rtx: on the original stream)
          124  RED and
          125  ULPFEC, only with --fec: all packets are then in RED
        """

    static func media(_ codec: VideoCodec) -> PayloadType {
        // Only built-in codecs can be chosen.
        codec.traits?.payloadType ?? PayloadType(96)
    }

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
        send.retransmissionPayloadType = isRTX ? rtx : nil
        send.fec = protection.settings(payloadType: fec, redPayloadType: red)
        if !isSimulcast { send.headerExtensions = HeaderExtensionMap() }
        // FFmpeg 5.1 reads only this mode; all others read it too.
        send.referenceSignaling = .nonFlexible
    }

    /// The stream that `rill send` sends by default: repaired by RTX, without FEC.
    static func assumed(_ codec: VideoCodec) -> StreamDescription {
        var stream = StreamDescription(media(codec), RTPFormat.Encoding(codec.rawValue))
        stream.parameters = codec.parameters
        stream.repair.retransmission = RepairSettings.Retransmission(ssrc: nil, payloadType: rtx)
        stream.feedback = [.nack, .pictureLossIndication, .fullIntraRequest]
        stream.usesReducedSizeRTCP = true
        return stream
    }
}

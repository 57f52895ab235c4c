public import RillCore
public import RillRTP
import RillSend

extension SendPipeline {
    /// What a player or server has to know of one layer's stream, as a session description for plain RTP (RFC 8866).
    ///
    ///     try pipeline.description(of: .high, to: UDPAddress(.loopback, port: 5004)).text  // the content of an .sdp file
    ///
    /// It names the formats with their payload types (VP8, VP9 or the own codec's name; RTX, RED and ULPFEC where they are on), the header
    /// extensions that are written, the feedback that this side understands, and the stream's sources. RTP and RTCP go to
    /// one port.
    ///
    /// - Parameter address: where the packets go to.
    public func description(of rid: StreamLayer.RID, to address: UDPAddress) -> SessionDescription {
        let stream = layers[index(of: rid)].streamSettings
        let feedback: [RTCPFeedback] = [.nack, .pictureLossIndication, .fullIntraRequest]
        var formats: [RTPFormat] =
            switch layers[index(of: rid)].settings.codec {
            case .vp8: [.vp8(stream.payloadType, feedback: feedback)]
            case .vp9: [.vp9(stream.payloadType, feedback: feedback)]
            case let codec: [RTPFormat(stream.payloadType, encoding: .init(codec.rawValue), feedback: feedback)]
            }
        if let protection = stream.protection {
            formats.insert(.red(protection.redPayloadType), at: 0)
            formats.append(.ulpfec(protection.payloadType))
        }
        var video = MediaDescription(.video, port: address.port, formats: formats)
        let name = SessionDescription.Attribute("cname", stream.canonicalName)
        video.sources = [SourceAttribute(stream.ssrc, name)]
        if let retransmission = stream.retransmission {
            let carried = stream.protection?.redPayloadType ?? stream.payloadType
            video.formats.append(.rtx(retransmission.payloadType, for: carried))
            video.sources.append(SourceAttribute(retransmission.ssrc, name))
            video.sourceGroups = [SourceGroup("FID", [stream.ssrc, retransmission.ssrc])]
        }
        if let id = stream.headerExtensions[.videoOrientation] {
            video.headerExtensions = [HeaderExtensionMapping(id: id, .videoOrientation)]
        }
        video.direction = .sendOnly
        video.isRTCPMultiplexed = true
        video.frameRate = layers[index(of: rid)].settings.frameRate.framesPerSecond
        return SessionDescription(name: "rill", connection: ConnectionAddress("\(address.ip)"), media: [video])
    }
}

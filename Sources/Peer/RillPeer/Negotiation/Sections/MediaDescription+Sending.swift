import RillRTP

extension MediaDescription {
    /// Adds what we say about the streams that we send, without those that have RIDs: the media stream, and the sources
    /// with their CNAME (RFC 8830, RFC 5576).
    mutating func addSending(_ transceiver: Transceiver, canonicalName: String) {
        for name in transceiver.localStreams {
            otherAttributes.append(SessionDescription.Attribute("msid", name.text))
        }
        // Streams with RIDs are found by them (RFC 8853 §5.5), and browsers write no sources for them.
        guard !rids.contains(where: { $0.direction == .send }), let source = transceiver.sources.first else { return }
        let repairs = formats.contains { $0.isNamed("rtx") }
        if repairs { sourceGroups.append(SourceGroup("FID", [source.ssrc, source.retransmission])) }
        for ssrc in repairs ? [source.ssrc, source.retransmission] : [source.ssrc] {
            sources.append(SourceAttribute(ssrc, SessionDescription.Attribute("cname", canonicalName)))
            for name in transceiver.localStreams.prefix(1) {
                sources.append(SourceAttribute(ssrc, SessionDescription.Attribute("msid", name.text)))
            }
        }
    }

    /// A section without media, at port 0 (RFC 3264 §6). It still needs a format.
    static func rejected(like media: MediaDescription) -> MediaDescription {
        var rejected = MediaDescription(media.kind, port: 0, transport: media.transport)
        rejected.mid = media.mid
        rejected.connection = ConnectionAddress("0.0.0.0")
        if media.isRTP {
            let format = media.formats.first
            rejected.formats = [RTPFormat(format?.payloadType ?? PayloadType(0), encoding: format?.encoding)]
            rejected.direction = .inactive
        } else {
            rejected.otherFormats = media.otherFormats.isEmpty ? ["0"] : Array(media.otherFormats.prefix(1))
        }
        return rejected
    }
}

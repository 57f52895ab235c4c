import RillRTP
import RillSession

/// Finds the section of a packet that is passed on as it is, as audio (RFC 9143 §9.2): by the MID that it carries, the
/// SSRC that signaling or an earlier packet with a MID named, or its payload type. Of several sections with the payload
/// type, the first gets what nothing else assigns.
struct PacketSections {
    private var sections: [PayloadType: [Section]] = [:]
    /// The sections of SSRCs, the oldest first: from signaling, and learned.
    private var sources: [(ssrc: SSRC, section: TransceiverID)] = []

    private struct Section {
        let transceiver: TransceiverID
        let mid: StreamIdentifier?
        let extensions: HeaderExtensionMap
    }

    /// The most SSRCs that are remembered: those of a stranger can only displace each other.
    static let sourceLimit = 32

    /// No sections.
    init() {}

    /// The sections of audio among those that were negotiated.
    init(_ negotiated: [NegotiatedSection]) {
        for section in negotiated where section.kind == .audio {
            let stream = section.receiving.first
            let found = Section(
                transceiver: section.transceiver, mid: StreamIdentifier(section.mid),
                extensions: stream?.headerExtensions ?? HeaderExtensionMap())
            for format in section.formats { sections[format.payloadType, default: []].append(found) }
            for stream in section.receiving {
                if let ssrc = stream.ssrc { learn(ssrc, section.transceiver) }
            }
        }
    }

    /// The transceiver to which a packet is passed on; `nil` for a packet of the session.
    mutating func owner(of packet: Span<UInt8>) -> TransceiverID? {
        guard !sections.isEmpty, packet.count >= 2, let found = sections[PayloadType(packet[1] & 0x7F)] else {
            return nil
        }
        guard found.count > 1 else { return found[0].transceiver }
        guard let parsed = try? RTPPacket(parsing: packet) else { return found[0].transceiver }
        let ssrc = parsed.header.ssrc
        for section in found {
            guard let mid = PacketNames(of: parsed, by: section.extensions).mid, mid == section.mid else { continue }
            learn(ssrc, section.transceiver)
            return section.transceiver
        }
        let known = sources.last { $0.ssrc == ssrc }?.section
        return known.flatMap { known in found.first { $0.transceiver == known } }?.transceiver ?? found[0].transceiver
    }

    private mutating func learn(_ ssrc: SSRC, _ section: TransceiverID) {
        if let last = sources.last, last.ssrc == ssrc, last.section == section { return }
        sources.removeAll { $0.ssrc == ssrc }
        if sources.count == PacketSections.sourceLimit { sources.removeFirst() }
        sources.append((ssrc, section))
    }
}

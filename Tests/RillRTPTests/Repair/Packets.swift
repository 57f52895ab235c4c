import RillCore
import RillRTP

/// A packet of those fields; with everything that may stand in a header if asked for.
func rtpPacket(
    _ number: UInt16, timestamp: UInt32 = 0, type: UInt8 = 96, marker: Bool = false, payload: [UInt8],
    isElaborate: Bool = false, padding: Int = 0
) -> [UInt8] {
    let header = RTPHeader(
        marker: marker, payloadType: PayloadType(type), sequenceNumber: SequenceNumber(number),
        timestamp: RTPTimestamp(timestamp), ssrc: SSRC(2))
    let data: [UInt8] = [0x10, 0xFF, 0, 0]
    let sources = [SSRC(1), SSRC(2), SSRC(3)]
    let packet = RTPPacket(
        header: header, csrcs: isElaborate ? WireList(sources.span) : WireList(),
        headerExtension: isElaborate ? RTPHeaderExtension(profile: 0xBEDE, data: data.span) : nil,
        payload: payload.span, paddingByteCount: padding)
    return [UInt8](capacity: packet.byteCount) { output in packet.write(into: &output) }
}

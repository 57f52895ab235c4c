import RillCore
import RillRTP

/// Sends a stream's packets to the network: wraps them in RED and RTX as negotiated, and counts them.
///
/// The history holds the packets unwrapped, because FEC packets are computed from them. An unwrapped packet is sent
/// directly from the history. A wrapped packet is written into memory that was allocated at the start.
struct PacketOutput: Sendable {
    private let retransmission: RetransmissionSettings?
    private let redPayloadType: PayloadType?
    /// The sequence number of the next packet of the retransmission stream.
    private var nextNumber: SequenceNumber
    private var red: [UInt8] = []
    private var rtx: [UInt8] = []
    private let extensions: HeaderExtensionMap

    init(_ settings: RTPStreamSettings) {
        retransmission = settings.retransmission
        redPayloadType = settings.fec?.redPayloadType
        extensions = settings.headerExtensions
        nextNumber = settings.retransmission?.firstSequenceNumber ?? SequenceNumber(0)
        if redPayloadType != nil { red = [UInt8](repeating: 0, count: settings.maximumPacketByteCount) }
        if retransmission != nil { rtx.reserveCapacity(settings.maximumPacketByteCount) }
    }

    /// The retransmission stream from its next packet on; `nil` if there is none.
    var nextRetransmission: RetransmissionSettings? {
        var next = retransmission
        next?.firstSequenceNumber = nextNumber
        return next
    }

    /// Sends the newest packet of the history.
    ///
    /// - Returns: the size of its payload in bytes.
    @discardableResult
    mutating func sendNewest(
        of history: borrowing PacketHistory, at now: MediaTime, to sink: some PacketSink,
        counting statistics: inout RTPStreamStatistics
    ) -> Int {
        guard let packet = history.newest else { return 0 }
        return send(packet.bytes, as: packet.isFEC ? .fec : .media, at: now, to: sink, counting: &statistics)
    }

    /// Retransmits a packet of the history: on the retransmission stream if there is one, otherwise unchanged.
    ///
    /// - Returns: the size of its payload in bytes.
    mutating func resend(
        _ number: SequenceNumber, as kind: OutgoingPacket.Kind = .retransmission, of history: borrowing PacketHistory,
        at now: MediaTime, to sink: some PacketSink, counting statistics: inout RTPStreamStatistics
    ) -> Int {
        guard let packet = history.packet(number) else { return 0 }
        guard let retransmission else {
            return send(packet.bytes, as: kind, at: now, to: sink, counting: &statistics)
        }
        if let redPayloadType {
            let count = PacketOutput.writeRED(packet.bytes, redPayloadType, into: &red)
            let wrapped = red  // shares the memory, released before the next write
            writeRTX(wrapped.span.extracting(0..<count), retransmission)
        } else {
            writeRTX(packet.bytes, retransmission)
        }
        return pass(rtx.span, as: kind, at: now, to: sink, counting: &statistics)
    }

    private mutating func send(
        _ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at now: MediaTime, to sink: some PacketSink,
        counting statistics: inout RTPStreamStatistics
    ) -> Int {
        guard let redPayloadType else { return pass(packet, as: kind, at: now, to: sink, counting: &statistics) }
        let count = PacketOutput.writeRED(packet, redPayloadType, into: &red)
        return pass(red.span.extracting(0..<count), as: kind, at: now, to: sink, counting: &statistics)
    }

    private func pass(
        _ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at now: MediaTime, to sink: some PacketSink,
        counting statistics: inout RTPStreamStatistics
    ) -> Int {
        // The packet has no padding.
        let payloadByteCount = packet.count - PacketOutput.headerByteCount(of: packet)
        statistics.packetsSent += 1
        statistics.bytesSent += payloadByteCount
        statistics.headerBytesSent += packet.count - payloadByteCount
        sink.send(packet, as: kind, at: now)
        return payloadByteCount
    }

    /// The bytes of the header of a packet of ours, which has no contributing sources, with its extension.
    private static func headerByteCount(of packet: Span<UInt8>) -> Int {
        guard packet[0] & 0x10 != 0 else { return RTPHeader.fixedByteCount }
        let length = RTPHeader.fixedByteCount + 2
        return RTPHeader.fixedByteCount + RTPHeaderExtension.fixedByteCount
            + 4 * (Int(packet[length]) << 8 | Int(packet[length + 1]))
    }

    /// Writes a packet of ours as the primary block of one of RED (RFC 2198 §3): one byte comes before the payload.
    ///
    /// - Returns: its size.
    private static func writeRED(
        _ packet: Span<UInt8>, _ payloadType: PayloadType, into red: inout [UInt8]
    ) -> Int {
        let (header, count) = (headerByteCount(of: packet), packet.count + REDPayload.primaryHeaderByteCount)
        if red.count < count { red += [UInt8](repeating: 0, count: count - red.count) }
        var bytes = red.mutableSpan
        bytes.copy(from: packet.extracting(0..<header))
        bytes[1] = packet[1] & 0x80 | payloadType.rawValue
        bytes[header] = packet[1] & 0x7F
        bytes.copy(from: packet.extracting(header...), at: header + REDPayload.primaryHeaderByteCount)
        return count
    }

    private mutating func writeRTX(_ packet: Span<UInt8>, _ settings: RetransmissionSettings) {
        let number = nextNumber
        nextNumber = number.next
        // The packet has a payload type, so it has a second byte.
        let type = settings.payloadTypes[PayloadType(packet[1] & 0x7F)] ?? settings.payloadType
        rtx.removeAll(keepingCapacity: true)
        rtx.append(addingCapacity: packet.count + RetransmittedPacket.headerByteCount) { output in
            do throws(RTPError) {
                try RetransmittedPacket.write(
                    packet, payloadType: type, sequenceNumber: number, ssrc: settings.ssrc,
                    into: &output)
            } catch {
                preconditionFailure("a packet written by this sender cannot be parsed: \(error)")
            }
        }
        if extensions[.rid] != nil { renameRepaired() }
    }

    /// Changes the RID to a repaired RID (RFC 8852 §3.2). Without an ID for that, replaces it with padding, because
    /// the retransmission stream's SSRC is not the stream's.
    private mutating func renameRepaired() {
        guard rtx[0] & 0x10 != 0 else { return }
        var position = RTPHeader.fixedByteCount + RTPHeaderExtension.fixedByteCount
        let end = position + 4 * (Int(rtx[position - 2]) << 8 | Int(rtx[position - 1]))
        let isOneByte = rtx[position - 4] == 0xBE
        while position < end {
            guard rtx[position] != 0 else {
                position += 1
                continue
            }
            let id = isOneByte ? rtx[position] >> 4 : rtx[position]
            let head = isOneByte ? 1 : 2
            let count = isOneByte ? Int(rtx[position] & 0xF) + 1 : Int(rtx[position + 1])
            if extensions[id] == .rid {
                if let repaired = extensions[.repairedRID], !isOneByte || repaired < 15 {
                    rtx[position] = isOneByte ? repaired << 4 | rtx[position] & 0xF : repaired
                } else {
                    for index in position..<position + head + count { rtx[index] = 0 }
                }
            }
            position += head + count
        }
    }
}

import RillCore
import RillRTP

/// The way of a stream's packets to the network: puts them into RED and RTX where the session agreed on that, and counts
/// them.
///
/// The packets come from the history, where they stand bare, as FEC packets are made of them. A bare packet is sent from
/// there; a wrapped one is written into memory that was taken at the start.
struct PacketOutlet: Sendable {
    private let retransmission: RetransmissionSettings?
    private let redPayloadType: PayloadType?
    /// The number of the next packet of the retransmission stream.
    private var nextNumber: SequenceNumber
    private var red: [UInt8] = []
    private var rtx: [UInt8] = []
    private let extensions: HeaderExtensionMap

    init(_ settings: RTPStreamSettings) {
        retransmission = settings.retransmission
        redPayloadType = settings.protection?.redPayloadType
        extensions = settings.headerExtensions
        nextNumber = settings.retransmission?.firstSequenceNumber ?? SequenceNumber(0)
        if redPayloadType != nil { red.reserveCapacity(settings.maximumPacketByteCount) }
        if retransmission != nil { rtx.reserveCapacity(settings.maximumPacketByteCount) }
    }

    /// Sends the history's newest packet.
    ///
    /// - Returns: bytes of its payload.
    @discardableResult
    mutating func sendNewest(
        of history: borrowing PacketHistory, at now: MediaTime, to sink: some PacketSink,
        counting statistics: inout RTPStreamStatistics
    ) -> Int {
        guard let packet = history.newest else { return 0 }
        return send(packet.bytes, as: packet.isFEC ? .fec : .media, at: now, to: sink, counting: &statistics)
    }

    /// Sends a packet of the history once more: on the retransmission stream, or as it was sent before.
    ///
    /// - Returns: bytes of its payload.
    mutating func resend(
        _ number: SequenceNumber, of history: borrowing PacketHistory, at now: MediaTime, to sink: some PacketSink,
        counting statistics: inout RTPStreamStatistics
    ) -> Int {
        guard let packet = history.packet(number) else { return 0 }
        guard let retransmission else {
            return send(packet.bytes, as: .retransmission, at: now, to: sink, counting: &statistics)
        }
        if let redPayloadType {
            PacketOutlet.writeRED(packet.bytes, redPayloadType, into: &red)
            let wrapped = red  // the same memory, let go before it is written again
            writeRTX(wrapped.span, retransmission)
        } else {
            writeRTX(packet.bytes, retransmission)
        }
        return pass(rtx.span, as: .retransmission, at: now, to: sink, counting: &statistics)
    }

    private mutating func send(
        _ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at now: MediaTime, to sink: some PacketSink,
        counting statistics: inout RTPStreamStatistics
    ) -> Int {
        guard let redPayloadType else { return pass(packet, as: kind, at: now, to: sink, counting: &statistics) }
        PacketOutlet.writeRED(packet, redPayloadType, into: &red)
        return pass(red.span, as: kind, at: now, to: sink, counting: &statistics)
    }

    private func pass(
        _ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at now: MediaTime, to sink: some PacketSink,
        counting statistics: inout RTPStreamStatistics
    ) -> Int {
        let payloadByteCount: Int
        do throws(RTPError) {
            // It has no padding.
            payloadByteCount = try RTPPacket(parsing: packet).payload.count
        } catch {
            preconditionFailure("a packet that was written here cannot be read: \(error)")
        }
        statistics.packetsSent += 1
        statistics.bytesSent += payloadByteCount
        statistics.headerBytesSent += packet.count - payloadByteCount
        sink.send(packet, as: kind, at: now)
        return payloadByteCount
    }

    private static func writeRED(_ packet: Span<UInt8>, _ payloadType: PayloadType, into red: inout [UInt8]) {
        red.removeAll(keepingCapacity: true)
        red.append(addingCapacity: packet.count + REDPayload.primaryHeaderByteCount) { output in
            do throws(RTPError) {
                try REDPacket.write(wrapping: packet, payloadType: payloadType, into: &output)
            } catch {
                preconditionFailure("a packet of our own: \(error)")
            }
        }
    }

    private mutating func writeRTX(_ packet: Span<UInt8>, _ settings: RetransmissionSettings) {
        let number = nextNumber
        nextNumber = number.next
        rtx.removeAll(keepingCapacity: true)
        rtx.append(addingCapacity: packet.count + RetransmittedPacket.headerByteCount) { output in
            do throws(RTPError) {
                try RetransmittedPacket.write(
                    packet, payloadType: settings.payloadType, sequenceNumber: number, ssrc: settings.ssrc,
                    into: &output)
            } catch {
                preconditionFailure("a packet of our own: \(error)")
            }
        }
        if extensions[.rid] != nil { renameRepaired() }
    }

    /// The name of the stream becomes that of the one repaired (RFC 8852 §3.2); without a number for that it becomes padding,
    /// as its source is not the stream's.
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

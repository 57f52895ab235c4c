public import RillRTP

/// What a ``PacketRestorer`` found in a datagram.
public enum RestoredPacket: ~Escapable {
    /// A packet for the jitter buffer, and how it came.
    case media(Span<UInt8>, PacketOrigin)
    /// A packet of the stream that carries no media: its number is no gap.
    case withoutMedia(RTPHeader)
}

/// What a datagram was to a ``PacketRestorer``.
public enum RestoreResult: Equatable, Sendable {
    /// A packet of the stream, or something that is for the jitter buffer to judge.
    case media
    /// A packet that came again on the stream of retransmissions.
    case retransmission
    /// An FEC packet.
    case fec
    /// Padding, to probe the path with.
    case padding
    /// A packet of the stream of retransmissions that is of another type than agreed on, or that came before the source
    /// of the stream itself was known.
    case unassigned
    /// It could not be unwrapped.
    case malformed(RTPError)
}

/// Gives back the packets of one stream from all that was sent for it: the packets themselves, those sent again (RTX, RFC
/// 4588), and those that FEC packets restore (ULPFEC in RED, RFC 5109 and 2198).
///
/// It stands before the ``JitterBuffer``:
///
///     var restorer = PacketRestorer(repair, for: buffer.settings)
///     restorer.insert(datagram) { packet in
///         switch packet {
///         case .media(let bytes, let origin): _ = buffer.insert(bytes, origin: origin, at: now)
///         case .withoutMedia(let header): _ = buffer.notePacketWithoutMedia(header, at: now)
///         }
///     }
///
/// A packet that needs nothing passes through as it is, and without FEC packets nothing is kept. With them, the newest 256
/// packets are (as many times ``JitterBufferSettings/maximumPacketByteCount`` bytes), and up to 64 FEC packets that wait
/// for all but one of their packets. A packet that comes after it was restored is passed on too: the buffer knows its
/// duplicates.
///
/// Takes any bytes. Nothing is allocated per packet once the buffers have grown to the largest. One owner, no thread, no
/// clock.
public struct PacketRestorer: ~Copyable, Sendable {
    /// What the session agreed on.
    public let settings: RepairSettings
    /// Counts since it was made.
    public private(set) var statistics = RepairStatistics()
    private let payloadType: PayloadType
    /// The stream's source, as far as it is known.
    private var ssrc: SSRC?
    private var decoder: ULPFECDecoder?
    /// What came out of RTX, and what came out of RED.
    private var original: [UInt8] = []
    private var primary: [UInt8] = []

    /// A restorer for the stream of a jitter buffer. Sources and payload types that do not tell streams and formats apart
    /// are the programmer's mistake.
    public init(_ settings: RepairSettings, for buffer: JitterBufferSettings) {
        var types = [buffer.payloadType]
        if let retransmission = settings.retransmission {
            if let again = retransmission.ssrc {
                precondition(again != buffer.ssrc, "retransmissions have a source of their own, not \(again)")
            }
            types.append(retransmission.payloadType)
        }
        if let red = settings.redPayloadType { types.append(red) }
        if let fec = settings.fecPayloadType { types.append(fec) }
        precondition(Set(types).count == types.count, "each format has a payload type of its own: \(types)")
        self.settings = settings
        payloadType = buffer.payloadType
        ssrc = buffer.ssrc
        if settings.fecPayloadType != nil {
            decoder = ULPFECDecoder(
                payloadType: buffer.payloadType, maximumPacketByteCount: buffer.maximumPacketByteCount)
        }
    }

    /// Takes an RTP datagram of the stream or of its retransmissions.
    ///
    /// - Parameter body: gets the packets in it, none or one, and those that can be restored now that it is here; each
    ///   is only there during the call.
    @discardableResult
    public mutating func insert(
        _ datagram: Span<UInt8>, _ body: (borrowing RestoredPacket) -> Void
    ) -> RestoreResult {
        // What is no RTP packet the buffer refuses, and statistics.
        guard !settings.isEmpty, let header = try? RTPHeader(parsing: datagram) else {
            body(.media(datagram, .network))
            return .media
        }
        if let retransmission = settings.retransmission, comes(header, on: retransmission) {
            return unwrap(datagram, header, retransmission, body)
        }
        return sort(datagram, header, .network, body)
    }

    // MARK: Retransmissions

    /// Whether a packet is one of the stream of retransmissions: by its source, or by its payload type where nobody announced
    /// that.
    private func comes(_ header: RTPHeader, on stream: RepairSettings.Retransmission) -> Bool {
        guard let source = stream.ssrc else {
            return header.payloadType == stream.payloadType && header.ssrc != ssrc
        }
        return header.ssrc == source
    }

    /// Restores a packet that was sent again.
    private mutating func unwrap(
        _ datagram: Span<UInt8>, _ header: RTPHeader, _ stream: RepairSettings.Retransmission,
        _ body: (borrowing RestoredPacket) -> Void
    ) -> RestoreResult {
        guard header.payloadType == stream.payloadType, let ssrc else { return .unassigned }
        let type = stream.originalPayloadType ?? settings.redPayloadType ?? payloadType
        var payloadByteCount = 0
        original.removeAll(keepingCapacity: true)
        do throws(RTPError) {
            payloadByteCount = try RTPPacket(parsing: datagram).payload.count
            guard payloadByteCount > 0 else {
                statistics.paddingPacketsReceived += 1
                return .padding
            }
            let packet = try RetransmittedPacket(parsing: datagram)
            original.append(addingCapacity: packet.originalByteCount) { output in
                packet.writeOriginal(payloadType: type, ssrc: ssrc, into: &output)
            }
        } catch {
            return malformed(error)
        }
        statistics.retransmittedPacketsReceived += 1
        statistics.retransmittedBytesReceived += payloadByteCount - RetransmittedPacket.headerByteCount
        let packet = original  // the same memory, let go before it is written again
        var originalHeader = header
        (originalHeader.payloadType, originalHeader.ssrc) = (type, ssrc)
        originalHeader.sequenceNumber = SequenceNumber(UInt16(packet[2]) << 8 | UInt16(packet[3]))
        let result = sort(packet.span, originalHeader, .retransmission, body)
        return result == .media ? .retransmission : result
    }

    // MARK: The stream itself

    /// Passes a packet of the stream on, or takes it out of RED.
    private mutating func sort(
        _ packet: Span<UInt8>, _ header: RTPHeader, _ origin: PacketOrigin, _ body: (borrowing RestoredPacket) -> Void
    ) -> RestoreResult {
        guard header.ssrc == ssrc ?? header.ssrc else { return pass(packet, header, origin, body) }
        switch header.payloadType {
        case settings.redPayloadType: return unwrapRED(packet, header, origin, body)
        case settings.fecPayloadType: return keepFECPacket(packet, header, body)
        default: return pass(packet, header, origin, body)
        }
    }

    private mutating func unwrapRED(
        _ packet: Span<UInt8>, _ header: RTPHeader, _ origin: PacketOrigin, _ body: (borrowing RestoredPacket) -> Void
    ) -> RestoreResult {
        primary.removeAll(keepingCapacity: true)
        do throws(RTPError) {
            guard try !RTPPacket(parsing: packet).payload.isEmpty else {
                statistics.paddingPacketsReceived += 1
                body(.withoutMedia(header))
                return .padding
            }
            try primary.append(addingCapacity: packet.count) { output throws(RTPError) in
                try REDPacket.writePrimary(of: packet, into: &output)
            }
        } catch {
            return malformed(error)
        }
        ssrc = header.ssrc
        let unwrapped = primary  // the same memory, let go before it is written again
        var inner = header
        inner.payloadType = PayloadType(unwrapped[1] & 0x7F)
        return inner.payloadType == settings.fecPayloadType
            ? keepFECPacket(unwrapped.span, inner, body) : pass(unwrapped.span, inner, origin, body)
    }

    private mutating func pass(
        _ packet: Span<UInt8>, _ header: RTPHeader, _ origin: PacketOrigin, _ body: (borrowing RestoredPacket) -> Void
    ) -> RestoreResult {
        body(.media(packet, origin))
        guard header.payloadType == payloadType, header.ssrc == ssrc ?? header.ssrc else { return .media }
        ssrc = header.ssrc
        decoder?.insert(packet, header, counting: &statistics) { body(.media($0, .fec)) }
        return .media
    }

    private mutating func keepFECPacket(
        _ packet: Span<UInt8>, _ header: RTPHeader, _ body: (borrowing RestoredPacket) -> Void
    ) -> RestoreResult {
        do throws(RTPError) {
            let payload = try RTPPacket(parsing: packet).payload
            body(.withoutMedia(header))
            statistics.fecPacketsReceived += 1
            statistics.fecBytesReceived += payload.count
            ssrc = header.ssrc
            try decoder?.insertFECPacket(payload, header, counting: &statistics) { body(.media($0, .fec)) }
            return .fec
        } catch {
            return malformed(error)
        }
    }

    private mutating func malformed(_ error: RTPError) -> RestoreResult {
        statistics.malformedPackets += 1
        return .malformed(error)
    }
}

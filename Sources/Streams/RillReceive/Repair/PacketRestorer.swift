import RillCore
public import RillRTP

/// A packet that a ``PacketRestorer`` found in a datagram.
public enum RestoredPacket: ~Escapable {
    /// A packet for the jitter buffer, and how it arrived.
    case media(Span<UInt8>, PacketOrigin)
    /// A packet of the stream that carries no media: its sequence number is not missing.
    case withoutMedia(RTPHeader)
}

/// What a datagram was for a ``PacketRestorer``.
public enum RestoreResult: Equatable, Sendable {
    /// A packet of the stream, or something that the jitter buffer must judge.
    case media
    /// A retransmitted packet, from the retransmission stream.
    case retransmission
    /// An FEC packet.
    case fec
    /// Padding, which probes the path.
    case padding
    /// A packet of the retransmission stream whose payload type was not negotiated, or that arrived before the
    /// stream's own SSRC was known.
    case unassigned
    /// A packet that could not be unwrapped.
    case malformed(RTPError)
}

/// A restorer of the packets of one stream, from everything that was sent for it: the packets themselves,
/// retransmissions (RTX, RFC 4588), and packets that FEC recovers (ULPFEC in RED, RFC 5109 and 2198).
///
/// It is placed before the ``JitterBuffer``:
///
/// ```swift
/// var restorer = PacketRestorer(repair, for: buffer.settings)
/// restorer.insert(datagram) { packet in
///     switch packet {
///     case .media(let bytes, let origin): _ = buffer.insert(bytes, origin: origin, at: now)
///     case .withoutMedia(let header): _ = buffer.notePacketWithoutMedia(header, at: now)
///     }
/// }
/// ```
///
/// A packet that needs no unwrapping passes through unchanged, and without FEC nothing is kept. With FEC, the newest
/// 256 packets are kept (256 times ``JitterBufferSettings/maximumPacketByteCount`` bytes), and up to 64 FEC packets
/// that miss more than one of their packets. A packet that arrives after it was restored is passed on too: the buffer
/// detects duplicates.
///
/// Any input bytes are safe. Once the buffers have grown to the largest packet, nothing is allocated per packet. It
/// has one owner, and no thread or clock.
public struct PacketRestorer: ~Copyable, Sendable {
    /// The negotiated repair formats.
    public let settings: RepairSettings
    /// Counts since the restorer was created.
    public private(set) var statistics = RepairStatistics()
    /// The payload types of its packets: one for each format.
    private let payloadTypes: [PayloadType]
    /// The stream's SSRC, if known.
    private var ssrc: SSRC?
    private var decoder: ULPFECDecoder?
    /// The packets unwrapped from RTX and from RED.
    private var original: [UInt8] = []
    private var primary: [UInt8] = []

    /// Creates a restorer for the stream of a jitter buffer. Precondition: SSRCs and payload types distinguish the
    /// streams and formats.
    ///
    /// - Parameters:
    ///   - settings: the negotiated repair formats.
    ///   - buffer: the settings of the jitter buffer.
    public init(_ settings: RepairSettings, for buffer: JitterBufferSettings) {
        var types = [buffer.payloadType]
        if let retransmission = settings.retransmission {
            if let again = retransmission.ssrc {
                precondition(again != buffer.ssrc, "retransmissions need their own SSRC, not \(again)")
            }
            types.append(retransmission.payloadType)
        }
        if let red = settings.redPayloadType { types.append(red) }
        if let fec = settings.fecPayloadType { types.append(fec) }
        precondition(Set(types).count == types.count, "each format needs its own payload type: \(types)")
        self.settings = settings
        payloadTypes = [buffer.payloadType] + buffer.alternatives.keys
        ssrc = buffer.ssrc
        if settings.fecPayloadType != nil {
            decoder = ULPFECDecoder(
                payloadTypes: payloadTypes, buffer.clockRate,
                maximumPacketByteCount: buffer.maximumPacketByteCount)
        }
    }

    /// Inserts an RTP datagram of the stream or of its retransmissions.
    ///
    /// - Parameters:
    ///   - datagram: the datagram.
    ///   - body: receives the packet in it, if any, and those that it makes recoverable; each is only valid during
    ///     the call.
    /// - Returns: what the datagram was.
    @discardableResult
    public mutating func insert(
        _ datagram: Span<UInt8>, _ body: (borrowing RestoredPacket) -> Void
    ) -> RestoreResult {
        // The buffer rejects and counts what is not an RTP packet.
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

    /// Whether a packet belongs to the retransmission stream: by its SSRC, or by its payload type if the SSRC was not
    /// announced.
    private func comes(_ header: RTPHeader, on stream: RepairSettings.Retransmission) -> Bool {
        guard let source = stream.ssrc else {
            return stream.has(header.payloadType) && header.ssrc != ssrc
        }
        return header.ssrc == source
    }

    /// Unwraps a retransmitted packet.
    private mutating func unwrap(
        _ datagram: Span<UInt8>, _ header: RTPHeader, _ stream: RepairSettings.Retransmission,
        _ body: (borrowing RestoredPacket) -> Void
    ) -> RestoreResult {
        guard stream.has(header.payloadType), let ssrc else { return .unassigned }
        let type =
            stream.others[header.payloadType] ?? stream.originalPayloadType ?? settings.redPayloadType
            ?? payloadTypes[0]
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

    /// Passes on a packet of the stream, or unwraps it from RED.
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
        guard payloadTypes.contains(header.payloadType), header.ssrc == ssrc ?? header.ssrc else { return .media }
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

/// The counters of a ``PacketRestorer`` since it was created.
///
/// Names are those of "inbound-rtp" in W3C webrtc-stats where they exist.
public struct RepairStatistics: Codable, Equatable, Sendable {
    /// Packets received on the retransmission stream.
    public internal(set) var retransmittedPacketsReceived = 0
    /// Their payload bytes, as in the original packets.
    public internal(set) var retransmittedBytesReceived = 0
    /// FEC packets received.
    public internal(set) var fecPacketsReceived = 0
    /// Their payload bytes.
    public internal(set) var fecBytesReceived = 0
    /// FEC packets that were useless: all packets that they protect were present, or too many were missing for too
    /// long.
    public internal(set) var fecPacketsDiscarded = 0

    // MARK: Rill's own counters

    /// Packets recovered from an FEC packet and the others that it protects.
    public internal(set) var packetsRecovered = 0
    /// Padding-only packets, in RED or on the retransmission stream.
    public internal(set) var paddingPacketsReceived = 0
    /// Packets that could not be unwrapped, and FEC packets that gave no valid packet.
    public internal(set) var malformedPackets = 0

    /// Creates zero counters.
    public init() {}
}

extension RepairStatistics: CustomStringConvertible {
    /// The non-zero counters by name: `retransmittedPacketsReceived 3, packetsRecovered 1`.
    public var description: String { countedText(self) }
}

import RillCore
import RillRTP

/// Groups the packets of a frame for protection, and builds the FEC packets.
///
/// The packets of a frame form groups of nearly equal size, at most 48 packets each. The FEC packets of a group
/// follow it. Of `m` FEC packets, the first protects the packets 0, m, 2m …, the second 1, m + 1 …, so that a burst
/// of up to `m` losses in a group can be recovered.
struct FECProtector: Sendable {
    /// The maximum size of a group: the number of packets in a FEC mask.
    static let maximumGroupCount = ULPFECPayload.maskBitWidth
    /// The minimum history: a group and its FEC packets must be in the history at the same time.
    static let minimumHistoryCapacity = 2 * maximumGroupCount

    private let payloadType: PayloadType
    /// The buffer in which an FEC packet is computed.
    private var buffer: [UInt8]

    /// Consecutive packets in the history, identified by their position from the first.
    struct Group {
        var first: SequenceNumber
        var count: Int
    }

    init(_ settings: FECSettings, maximumPacketByteCount: Int) {
        payloadType = settings.payloadType
        buffer = [UInt8](repeating: 0, count: maximumPacketByteCount)
    }

    /// Returns the groups of a frame with that many packets.
    static func groups(packetCount: Int) -> FrameSplit {
        FrameSplit(byteCount: packetCount, maximumPieceByteCount: maximumGroupCount)
    }

    /// Returns the number of FEC packets for a group of `count` packets, at most `count`.
    func fecPacketCount(of count: Int, _ percentage: Percentage) -> Int {
        (count * percentage.partsPerMillion + 999_999) / 1_000_000
    }

    /// Builds FEC packet `index` of `count` for a group, as the next packet of the history.
    mutating func appendFECPacket(
        _ index: Int, of count: Int, for group: Group, timestamp: RTPTimestamp, ssrc: SSRC,
        _ headerExtension: [UInt8], to history: inout PacketHistory, at now: MediaTime
    ) {
        let header = RTPHeader(
            marker: false, payloadType: payloadType, sequenceNumber: history.nextSequenceNumber,
            timestamp: timestamp, ssrc: ssrc)
        var builder = ULPFECBuilder(base: group.first.advanced(by: index))
        var memory = buffer.mutableSpan
        for position in stride(from: index, to: group.count, by: count) {
            guard let packet = history.packet(group.first.advanced(by: position)) else {
                preconditionFailure("the history holds \(FECProtector.minimumHistoryCapacity) packets and more")
            }
            builder.add(packet.bytes, in: &memory)
        }
        let bytes = memory.span
        history.append(at: now, isFEC: true) { output in
            header.write(into: &output, hasExtension: !headerExtension.isEmpty)
            output.append(copying: headerExtension.span)
            builder.write(bytes, into: &output)
        }
    }
}

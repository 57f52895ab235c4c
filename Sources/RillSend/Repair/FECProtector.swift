import RillCore
import RillRTP

/// Decides which packets of a frame are protected together, and makes the FEC packets.
///
/// A frame's packets are taken in groups of at most 48, near-equal ones, each followed by its FEC packets. Of `m` FEC packets
/// the first protects packets 0, m, 2m …, the second 1, m + 1 …: a run of `m` losses in a group is repaired.
struct FECProtector: Sendable {
    /// The most packets of a group: those that a mask tells of.
    static let maximumGroupCount = ULPFECPayload.maskBitWidth
    /// A group and its FEC packets have to be in the history at once.
    static let minimumHistoryCapacity = 2 * maximumGroupCount

    private let settings: FECSettings
    /// Where an FEC packet grows.
    private var buffer: [UInt8]

    /// Packets that follow each other in the history, by position from the first on.
    struct Group {
        var first: SequenceNumber
        var count: Int
    }

    init(_ settings: FECSettings, maximumPacketByteCount: Int) {
        self.settings = settings
        buffer = [UInt8](repeating: 0, count: maximumPacketByteCount)
    }

    /// How a frame's packets are grouped.
    static func groups(packetCount: Int) -> FrameSplit {
        FrameSplit(byteCount: packetCount, maximumPieceByteCount: maximumGroupCount)
    }

    /// FEC packets of a group of `count` packets: at most as many as packets.
    func fecPacketCount(of count: Int) -> Int {
        (count * settings.percentage.partsPerMillion + 999_999) / 1_000_000
    }

    /// Makes FEC packet `index` of `count` for a group, as the next packet of the history.
    mutating func appendFECPacket(
        _ index: Int, of count: Int, for group: Group, timestamp: RTPTimestamp, ssrc: SSRC,
        _ headerExtension: [UInt8], to history: inout PacketHistory, at now: MediaTime
    ) {
        let header = RTPHeader(
            marker: false, payloadType: settings.payloadType, sequenceNumber: history.nextSequenceNumber,
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

import RillCore
import RillRTP
import RillSecurity
import RillTestSupport

/// The media packets of a protected stream, as the network has seen them: opened, taken out of RED, and whether each
/// was lost.
///
/// Retransmissions and FEC packets are left out; what was lost of them is not counted.
struct MediaOnTheWire {
    struct Packet {
        var timestamp: RTPTimestamp
        /// Payload descriptor included: no two packets of a stream have the same.
        var payload: [UInt8]
        /// The frame's bytes in it.
        var piece: [UInt8]
        var isLost: Bool
    }

    /// In the order in which they were sent.
    private(set) var packets: [Packet] = []
    /// Those whose loss can be noticed: not those before the first one that arrives.
    private var noticeable = 0..<0

    static let media = PayloadType(96)
    static let rtx = PayloadType(97)
    static let red = PayloadType(100)
    static let fec = PayloadType(101)

    /// - Parameters:
    ///   - isIncoming: which direction.
    ///   - red: the payload type of RED.
    init(
        _ passages: [LossyTransport.Passage], isIncoming: Bool, key: SRTPKey, red: PayloadType = MediaOnTheWire.red
    ) throws {
        let redType = red
        var unprotector = try SRTPUnprotector(key)
        for passage in passages where passage.isIncoming == isIncoming {
            var bytes = passage.bytes
            var memory = bytes.mutableSpan
            guard case .unprotected(.rtp, let byteCount) = unprotector.unprotect(&memory) else { continue }
            let packet = try RTPPacket(parsing: memory.span.extracting(0..<byteCount))
            var (type, payload) = (packet.header.payloadType, packet.payload)
            if type == redType {
                var red = try REDPayload(parsing: payload)
                guard let block = red.next() else { throw TestFailure("RED without a block") }
                (type, payload) = (block.payloadType, block.data)
            }
            guard type == MediaOnTheWire.media else { continue }
            packets.append(
                Packet(
                    timestamp: packet.header.timestamp, payload: payload.array,
                    piece: try VP8Payload(parsing: payload).piece.array, isLost: passage.isLost))
        }
        noticeable = (packets.firstIndex { !$0.isLost } ?? packets.endIndex)..<packets.endIndex
    }

    /// Those that were lost, as far as that can be noticed.
    var lost: [Packet] { packets[noticeable].filter(\.isLost) }

    /// The frames that they hold, by timestamp.
    var frames: [RTPTimestamp: [UInt8]] {
        packets.reduce(into: [:]) { $0[$1.timestamp, default: []] += $1.piece }
    }

    /// Does not count what was lost in the last half second, where the stream's end decides: nothing follows that shows
    /// a gap, and soon there is no answer.
    ///
    /// - Throws: where there were no packets at all.
    mutating func ignoreEnd() throws {
        guard let last = packets.last?.timestamp else { throw TestFailure("no packet of media was seen") }
        let end = packets.firstIndex { last.rawValue &- $0.timestamp.rawValue < 45_000 } ?? packets.endIndex
        noticeable = noticeable.clamped(to: 0..<end)
    }
}

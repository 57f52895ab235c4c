import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillSend

/// A VP8 stream as our sender protects it: noise in frames of random length, with FEC packets, and every packet
/// retransmitted.
struct ProtectedStream {
    static let ssrc = SSRC(0xCAFE)
    static let rtxSSRC = SSRC(0xABCD)
    static let media = PayloadType(96)
    static let rtx = PayloadType(97)
    static let red = PayloadType(100)
    static let fec = PayloadType(101)

    /// All datagrams, in order.
    private(set) var datagrams: [[UInt8]] = []
    /// The media packets, bare, by their numbers.
    private(set) var originals: [UInt16: [UInt8]] = [:]
    /// The numbers of the FEC packets.
    private(set) var fecPackets: Set<UInt16> = []
    /// The retransmission of each media packet, by its number.
    private(set) var again: [UInt16: [UInt8]] = [:]

    init(
        frames: Int, percent: Int = 20, start: UInt16 = 65500, seed: UInt64 = 1, maximumByteCount: Int = 300,
        largestFrame: Int = 4000
    ) throws {
        var settings = RTPStreamSettings(ssrc: Self.ssrc, payloadType: Self.media, canonicalName: "a@b")
        settings.maximumPacketByteCount = maximumByteCount
        settings.firstSequenceNumber = SequenceNumber(start)
        settings.retransmissionShare = .all
        settings.retransmission = RetransmissionSettings(ssrc: Self.rtxSSRC, payloadType: Self.rtx)
        settings.fec = FECSettings(
            percentage: .percent(percent), payloadType: Self.fec, redPayloadType: Self.red)
        var sender = try RTPStreamSender(settings)
        var random = SeededGenerator(seed: seed)
        let (sink, repair) = (Datagrams(), Datagrams())
        for number in 0..<Int64(frames) {
            let byteCount = 1 + Int(random.next() >> 33) % largestFrame
            let payload = (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let frame = EncodedFrame(
                codec: .vp8, layer: StreamLayer(rid: .high), number: number,
                references: number == 0 ? FrameReferences() : FrameReferences(number - 1), isKey: number == 0,
                resolution: .qqvga, captureTime: MediaTime(ticks: number * 3000, rate: 90_000), byteCount: byteCount)
            let sent = sender.send(frame, payload: payload.span, at: frame.captureTime, to: sink)
            for offset in 0..<sent.packetCount {
                let lost = sent.firstSequenceNumber.advanced(by: offset)
                let before = repair.all.count
                _ = sender.retransmit(lost, at: frame.captureTime, to: repair)
                if repair.all.count > before { again[lost.rawValue] = repair.all[before] }
            }
        }
        datagrams = sink.all
        for datagram in datagrams {
            let number = Self.number(of: datagram)
            if datagram[12] == Self.fec.rawValue {
                fecPackets.insert(number)
            } else {
                originals[number] = try [UInt8](capacity: datagram.count) { output throws(RTPError) in
                    try REDPacket.writePrimary(of: datagram.span, into: &output)
                }
            }
        }
    }

    static func number(of packet: [UInt8]) -> UInt16 { UInt16(packet[2]) << 8 | UInt16(packet[3]) }

    static var repair: RepairSettings {
        var repair = RepairSettings()
        repair.retransmission = .init(ssrc: rtxSSRC, payloadType: rtx)
        repair.redPayloadType = red
        repair.fecPayloadType = fec
        return repair
    }
}

/// Keeps what was sent.
final class Datagrams: PacketSink {
    private(set) var all: [[UInt8]] = []

    func send(_ packet: Span<UInt8>, at time: MediaTime) { all.append(packet.indices.map { packet[$0] }) }
}

/// A restorer, and all that it gave.
struct RestorerLog: ~Copyable {
    var restorer: PacketRestorer
    /// What came out, in order.
    private(set) var media: [(bytes: [UInt8], origin: PacketOrigin)] = []
    private(set) var withoutMedia: [SequenceNumber] = []

    init(_ repair: RepairSettings = ProtectedStream.repair, ssrc: SSRC? = ProtectedStream.ssrc) {
        restorer = PacketRestorer(repair, for: JitterBufferSettings(ssrc: ssrc, payloadType: ProtectedStream.media))
    }

    @discardableResult
    mutating func insert(_ datagram: [UInt8]) -> RestoreResult {
        var (media, withoutMedia) = (media, withoutMedia)
        let result = restorer.insert(datagram.span) { packet in
            switch packet {
            case .media(let bytes, let origin): media.append((bytes.indices.map { bytes[$0] }, origin))
            case .withoutMedia(let header): withoutMedia.append(header.sequenceNumber)
            }
        }
        (self.media, self.withoutMedia) = (media, withoutMedia)
        return result
    }

    /// What came out by that way.
    func bytes(_ origin: PacketOrigin) -> [[UInt8]] { media.filter { $0.origin == origin }.map(\.bytes) }

    var statistics: RepairStatistics { restorer.statistics }
}

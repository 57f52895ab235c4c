import Rill
import RillFiles
import RillRTP

/// The packets of a capture's first stream, one after the other, for playing in repeated rounds.
struct RecordedStream {
    /// Packets of a round.
    let count: Int
    /// The time from the start of one round to that of the next.
    let roundLength: MediaDuration
    private(set) var payloadType = PayloadType(96)
    private var bytes: [UInt8] = []
    private var packets: [Packet] = []
    private let roundTicks: UInt32
    private let roundPictures: UInt16
    private let roundNumbers: UInt16

    private struct Packet {
        var start: Int
        var byteCount: Int
        var offset: MediaDuration
        var sequence: UInt16
        var timestamp: UInt32
        var picture: UInt16
    }

    /// The offsets of the numbers: in a header without extension, and in a VP8 descriptor with a 15-bit picture ID.
    private enum Offset {
        static let sequence = 2
        static let timestamp = 4
        static let picture = 14
    }

    init(path: String) throws {
        let capture = try CaptureReader(path: path)
        var datagram: [UInt8] = []
        var ssrc: SSRC?
        var start = MediaTime.zero
        while let recorded = try capture.next(into: &datagram) {
            guard PacketKind(of: datagram.span) == .rtp else { continue }
            let packet = try RTPPacket(parsing: datagram.span)
            let header = packet.header
            guard header.ssrc == ssrc ?? header.ssrc else { continue }
            let time = recorded.time
            if ssrc == nil { (ssrc, start, payloadType) = (header.ssrc, time, header.payloadType) }
            precondition(datagram[12] & 0x80 != 0 && datagram[13] & 0x80 != 0 && datagram[14] & 0x80 != 0)
            packets.append(
                Packet(
                    start: bytes.count, byteCount: datagram.count, offset: time - start,
                    sequence: header.sequenceNumber.rawValue, timestamp: header.timestamp.rawValue,
                    picture: UInt16(datagram[14]) << 8 | UInt16(datagram[15])))
            bytes += datagram
        }
        precondition(packets.count > 1, "there are no packets in \(path)")
        count = packets.count
        let (first, last) = (packets[0], packets[count - 1])
        let frameTicks =
            packets.first { $0.timestamp != first.timestamp }.map { $0.timestamp &- first.timestamp } ?? 3000
        roundTicks = last.timestamp &- first.timestamp &+ frameTicks
        roundLength = MediaTime(ticks: Int64(roundTicks), rate: RTPTimestamp.videoClockRate) - .zero
        roundPictures = (last.picture &- first.picture &+ 1) & 0x7FFF
        roundNumbers = UInt16(truncatingIfNeeded: count)
    }

    /// A packet's position over all rounds. Dividing for each packet would cost a tenth of the measured time.
    struct Position {
        fileprivate(set) var round: Int
        fileprivate(set) var place: Int
    }

    /// The position of packet `index`, counted over all rounds.
    func position(of index: Int) -> Position {
        let (round, place) = index.quotientAndRemainder(dividingBy: count)
        return Position(round: round, place: place)
    }

    /// Moves on to the next packet.
    @inline(__always)
    func advance(_ position: inout Position) {
        position.place += 1
        guard position.place == count else { return }
        position.place = 0
        position.round += 1
    }

    /// When the packet at `position` was sent.
    @inline(__always)
    func time(at position: Position) -> MediaTime {
        .zero + roundLength * position.round + packets[position.place].offset
    }

    /// When packet `index`, counted over all rounds, was sent.
    func time(of index: Int) -> MediaTime { time(at: position(of: index)) }

    /// The index, counted over all rounds, of the packet with sequence number `sequence` that is not after `newest`.
    func index(of sequence: SequenceNumber, upTo newest: Int) -> Int {
        newest &+ sequence.distance(since: SequenceNumber(number(of: newest)))
    }

    private func number(of index: Int) -> UInt16 {
        let (round, place) = index.quotientAndRemainder(dividingBy: count)
        return packets[place].sequence &+ UInt16(truncatingIfNeeded: round) &* roundNumbers
    }

    /// Calls `body` with packet `index`, counted over all rounds, with the numbers of its round.
    @inline(__always)
    mutating func withPacket<Result>(_ index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        withPacket(at: position(of: index), body)
    }

    /// Calls `body` with the packet at `position`, with the numbers of its round.
    @inline(__always)
    mutating func withPacket<Result>(at position: Position, _ body: (Span<UInt8>) -> Result) -> Result {
        let round = position.round
        let packet = packets[position.place]
        let turn = UInt16(truncatingIfNeeded: round)
        let sequence = packet.sequence &+ turn &* roundNumbers
        let timestamp = packet.timestamp &+ UInt32(truncatingIfNeeded: round) &* roundTicks
        let picture = 0x8000 | (packet.picture &+ turn &* roundPictures) & 0x7FFF
        // Write each number as a whole: reading a number after writing its bytes one by one stalls the processor.
        bytes.withUnsafeMutableBytes { bytes in
            let packet = UnsafeMutableRawBufferPointer(rebasing: bytes[packet.start..<packet.start + packet.byteCount])
            packet.storeBytes(of: sequence.bigEndian, toByteOffset: Offset.sequence, as: UInt16.self)
            packet.storeBytes(of: timestamp.bigEndian, toByteOffset: Offset.timestamp, as: UInt32.self)
            packet.storeBytes(of: picture.bigEndian, toByteOffset: Offset.picture, as: UInt16.self)
        }
        let all = bytes.span
        return body(all.extracting(packet.start..<packet.start + packet.byteCount))
    }
}

/// Transport-wide feedback: which packets of a transport arrived, and when, for the sender's congestion control.
///
/// draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1, PT=RTPFB=205, FMT=15:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|  FMT=15 |    PT=205     |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                     SSRC of packet sender                     |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      SSRC of media source                     |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |      base sequence number     |      packet status count      |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                 reference time                | fb pkt. count |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |          packet chunk         |         packet chunk          |
/// .                                                               .
/// |         packet chunk          |  recv delta   |  recv delta   |
/// .                                                               .
/// |           recv delta          |  recv delta   | zero padding  |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// The packets of all streams are identified by their ``TransportSequenceNumber``.
///
/// ```swift
/// var packets = feedback.packets
/// while let packet = packets.next() { control.note(packet.sequenceNumber, arrival: packet.arrival) }
/// ```
///
/// A view that cannot outlive the bytes, or the statuses to be written. Allocates nothing.
public struct TransportFeedback: ~Escapable {
    /// The SSRC of the receiver.
    public let sender: SSRC
    /// The SSRC of any one stream of the transport; its choice has no meaning.
    public let media: SSRC
    /// The transport-wide sequence number of the first packet.
    public let baseSequenceNumber: SequenceNumber
    /// The time that the first delta counts from, by the receiver's clock in steps of 64 ms: signed, 24 bits.
    public let referenceTime: Int32
    /// Counts the feedback packets from this receiver, modulo 256.
    public let feedbackCount: UInt8
    let storage: Storage

    enum Storage: ~Escapable {
        /// `count` statuses, in validated chunks and a sufficient number of deltas.
        case wire(count: Int, chunks: Span<UInt8>, deltas: Span<UInt8>)
        case values(Span<PacketStatus>)
    }

    /// The status of one packet.
    public enum PacketStatus: Equatable, Sendable, BitwiseCopyable {
        /// The packet had not arrived when the feedback was sent.
        case notReceived
        /// The packet arrived `delta` steps of 250 µs after the previous received packet in the list, or, for the
        /// first, after the reference time.
        case received(delta: Int16)
    }

    package static let format: UInt8 = 15
    private static let headerByteCount = 20
    /// The number of 250 µs steps per step of the reference time.
    static let ticksPerReferenceStep: Int64 = 256
    /// The number of arrival time steps per second.
    public static let ticksPerSecond = 4000

    /// Feedback with these fields, to be written.
    ///
    /// Traps if the reference time exceeds 24 bits or if there are more than 65535 packets.
    @_lifetime(copy packets)
    public init(
        sender: SSRC, media: SSRC, baseSequenceNumber: SequenceNumber, referenceTime: Int32, feedbackCount: UInt8,
        packets: Span<PacketStatus>
    ) {
        precondition(referenceTime >> 23 == referenceTime >> 31, "reference time \(referenceTime) in 24 bits")
        precondition(packets.count <= UInt16.max, "\(packets.count) packets: 65535 fit")
        self.sender = sender
        self.media = media
        self.baseSequenceNumber = baseSequenceNumber
        self.referenceTime = referenceTime
        self.feedbackCount = feedbackCount
        storage = .values(packets)
    }

    /// The number of packets.
    public var count: Int {
        switch storage {
        case .wire(let count, _, _): count
        case .values(let packets): packets.count
        }
    }

    /// The packets, in order.
    public var packets: Packets {
        @_lifetime(copy self)
        get { Packets(self) }
    }

    // MARK: The wire

    /// Parses the feedback. Validates all statuses, so that iterating over the packets cannot fail.
    ///
    /// - Throws: `unexpectedPacketType`, `truncated` or `reservedPacketStatus`.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.transportFeedback, format: TransportFeedback.format)
        var reader = ByteReader(packet.body)
        sender = SSRC(try reader.uint32())
        media = SSRC(try reader.uint32())
        baseSequenceNumber = SequenceNumber(try reader.uint16())
        let count = Int(try reader.uint16())
        let word = try reader.uint32()
        referenceTime = Int32(bitPattern: word) >> 8
        feedbackCount = UInt8(truncatingIfNeeded: word)

        let start = reader.position
        var (told, deltaByteCount) = (0, 0)
        while told < count {
            let chunk = PacketStatusChunk(rawValue: try reader.uint16())
            let (byteCount, reserved) = chunk.deltaByteCount(ofFirst: min(chunk.capacity, count - told))
            if let reserved { throw .reservedPacketStatus(index: told + reserved) }
            deltaByteCount += byteCount
            told += chunk.capacity
        }
        let chunks = packet.body.extracting(start..<reader.position)
        storage = .wire(count: count, chunks: chunks, deltas: try reader.span(deltaByteCount))
    }

    /// The size of the packet in bytes. Computed by iterating over all packets, unless it was parsed.
    public var byteCount: Int {
        switch storage {
        case .wire(_, let chunks, let deltas):
            return TransportFeedback.headerByteCount + (chunks.count + deltas.count + 3) / 4 * 4
        case .values(let packets):
            var byteCount = 0
            var index = 0
            while index < packets.count {
                byteCount += 2
                index += PacketStatusChunk.longest(from: index, of: packets).count
            }
            for index in packets.indices { byteCount += Int(packets[index].symbol) }
            return TransportFeedback.headerByteCount + (byteCount + 3) / 4 * 4
        }
    }

    /// Appends the feedback. Each chunk covers as many of the remaining packets as possible; parsed feedback keeps
    /// its chunks.
    ///
    /// Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        let byteCount = byteCount  // computed once
        let end = output.count + byteCount
        RTCPPacket.writeHeader(
            .transportFeedback, count: Int(TransportFeedback.format), byteCount: byteCount, into: &output)
        output.append(bigEndian: sender.rawValue)
        output.append(bigEndian: media.rawValue)
        output.append(bigEndian: baseSequenceNumber.rawValue)
        output.append(bigEndian: UInt16(count))
        output.append(bigEndian: UInt32(bitPattern: referenceTime << 8) | UInt32(feedbackCount))
        switch storage {
        case .wire(_, let chunks, let deltas):
            output.append(copying: chunks)
            output.append(copying: deltas)
        case .values(let packets):
            TransportFeedback.write(packets, into: &output)
        }
        output.append(repeating: 0, count: end - output.count)
    }

    @_lifetime(output: copy output)
    private static func write(_ packets: Span<PacketStatus>, into output: inout OutputSpan<UInt8>) {
        var index = 0
        while index < packets.count {
            let (chunk, count) = PacketStatusChunk.longest(from: index, of: packets)
            output.append(bigEndian: chunk.rawValue)
            index += count
        }
        for index in packets.indices {
            guard case .received(let delta) = packets[index] else { continue }
            if packets[index].symbol == PacketStatusChunk.smallDelta {
                output.append(UInt8(truncatingIfNeeded: delta))
            } else {
                output.append(bigEndian: UInt16(bitPattern: delta))
            }
        }
    }
}

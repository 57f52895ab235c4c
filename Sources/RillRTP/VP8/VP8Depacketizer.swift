/// Joins the packets of a VP8 stream to frames again, for streams whose packets come in order (RFC 7741 §4).
///
/// Feed it packets in the order of their sequence numbers; it appends to the caller's array and says with each packet
/// what became of it. A frame with a packet missing is given up whole. Packets that come out of order want the jitter
/// buffer of `RillReceive` instead.
///
///     var depacketizer = VP8Depacketizer()
///     var frame: [UInt8] = []
///     for packet in packets where depacketizer.insert(packet, into: &frame) == .completed {
///         try decoder.decode(frame.span)
///     }
///
/// Takes any bytes. A value with one owner; allocates only when the caller's array has to grow.
public struct VP8Depacketizer: Sendable {
    /// A frame that grows beyond this is given up.
    public let maximumFrameByteCount: Int
    private var expected: Expectation?
    private var latest: SequenceNumber?

    /// What the next packet of the frame in work must bear.
    private struct Expectation {
        var sequenceNumber: SequenceNumber
        var timestamp: RTPTimestamp
    }

    /// What became of a packet.
    public enum Outcome: Equatable, Sendable {
        /// It begins a frame: the array was emptied and holds this piece.
        case started
        /// Its piece was appended.
        case continued
        /// It was the frame's last (and maybe only) packet: the array holds the whole frame.
        case completed
        /// It has no payload, only padding.
        case empty
        /// It is not used. The frame in work is given up, unless the packet was `late`.
        case outOfPlace(Reason)
        /// It is no VP8 packet. The frame in work is given up.
        case malformed(RTPError)
    }

    /// Why a packet is not used.
    public enum Reason: Equatable, Sendable {
        /// Its sequence number is the newest one's or up to 1000 before it: a duplicate, or too late.
        case late
        /// It is in the middle of a frame whose beginning is missing, or that has a gap before it.
        case noBeginning
        /// It does not begin a frame but has another timestamp than the frame in work.
        case otherTimestamp
        /// The frame would have more bytes than the limit.
        case tooLarge
    }

    /// A depacketizer that gives up frames of more than `maximumFrameByteCount` bytes.
    public init(maximumFrameByteCount: Int = 16 << 20) {
        self.maximumFrameByteCount = maximumFrameByteCount
    }

    /// Whether a frame has begun and its end is still to come.
    public var isInFrame: Bool { expected != nil }

    /// Takes the next packet. `frame` is the depacketizer's to fill: leave it alone between a frame's packets.
    public mutating func insert(_ packet: RTPPacket, into frame: inout [UInt8]) -> Outcome {
        let header = packet.header
        if let latest, isLate(header.sequenceNumber, after: latest) { return .outOfPlace(.late) }
        latest = header.sequenceNumber

        // The frame goes on only if nothing below finds fault.
        let expected = self.expected
        self.expected = nil
        guard !packet.payload.isEmpty else {
            if let expected, expected.sequenceNumber == header.sequenceNumber { expect(after: header, in: expected) }
            return .empty
        }
        let descriptor: VP8PayloadDescriptor
        let offset: Int
        do throws(RTPError) {
            (descriptor, offset) = try VP8PayloadDescriptor.parse(packet.payload)
        } catch {
            return .malformed(error)
        }

        if descriptor.startsFrame {
            frame.removeAll(keepingCapacity: true)
        } else {
            guard let expected, expected.sequenceNumber == header.sequenceNumber else {
                return .outOfPlace(.noBeginning)
            }
            guard expected.timestamp == header.timestamp else { return .outOfPlace(.otherTimestamp) }
        }
        let piece = packet.payload.extracting(offset...)
        guard piece.count <= maximumFrameByteCount - frame.count else { return .outOfPlace(.tooLarge) }
        frame.append(copying: piece)
        guard !header.marker else { return .completed }
        self.expected = Expectation(sequenceNumber: header.sequenceNumber.next, timestamp: header.timestamp)
        return descriptor.startsFrame ? .started : .continued
    }

    /// Farther back than a network brings packets out of order, the sender has started anew.
    private func isLate(_ number: SequenceNumber, after latest: SequenceNumber) -> Bool {
        (-1000...0).contains(number.distance(since: latest))
    }

    /// Padding between the packets of a frame takes a sequence number and changes nothing else.
    private mutating func expect(after header: RTPHeader, in frame: Expectation) {
        expected = Expectation(sequenceNumber: header.sequenceNumber.next, timestamp: frame.timestamp)
    }
}

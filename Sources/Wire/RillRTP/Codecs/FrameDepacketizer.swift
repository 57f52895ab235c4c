public import RillCore

/// Reassembles frames from packets that arrive in order, for any codec (RFC 7741 §4, RFC 9628 §4).
///
/// Insert packets in the order of their sequence numbers. The depacketizer appends to the caller's array and reports
/// the outcome for each packet. A frame with a missing packet is dropped whole. For packets that arrive out of order,
/// use the jitter buffer of `RillReceive` instead.
///
/// ```swift
/// var depacketizer = FrameDepacketizer(.vp8)
/// var frame: [UInt8] = []
/// for packet in packets where depacketizer.insert(packet, into: &frame) == .completed {
///     try decoder.decode(frame.span)
/// }
/// ```
///
/// A VP9 frame is a picture with all its spatial layers in order, as a decoder takes them: from the packet that starts
/// the lowest layer to the one with the marker bit.
///
/// Accepts arbitrary bytes. A value with one owner. Allocates only when the caller's array has to grow.
public struct FrameDepacketizer: Sendable {
    /// The maximum size of a frame in bytes; a larger frame is dropped.
    public let maximumFrameByteCount: Int
    private let format: FrameFormat
    private var expected: Expectation?
    private var latest: Expectation?

    /// The position of a packet: the newest one, or the one that continues the current frame.
    private struct Expectation {
        var sequenceNumber: SequenceNumber
        var timestamp: RTPTimestamp
    }

    /// A depacketizer of a codec.
    ///
    /// - Parameters:
    ///   - codec: the codec.
    ///   - format: the payload format of an app's own codec.
    ///   - maximumFrameByteCount: the most bytes of a frame; a larger one is dropped.
    public init(_ codec: VideoCodec, own format: PayloadFormat = .numbered, maximumFrameByteCount: Int = 16 << 20) {
        self.format = FrameFormat(codec, own: format)
        self.maximumFrameByteCount = maximumFrameByteCount
    }

    /// Whether a frame has started and not yet ended.
    public var isInFrame: Bool { expected != nil }

    /// Inserts the next packet and appends its piece to `frame`, which is cleared when a frame starts. Do not modify
    /// `frame` between the packets of a frame.
    public mutating func insert(_ packet: RTPPacket, into frame: inout [UInt8]) -> DepacketizeOutcome {
        let header = packet.header
        let place = Expectation(sequenceNumber: header.sequenceNumber, timestamp: header.timestamp)
        if let latest, isLate(place.sequenceNumber, after: latest.sequenceNumber) { return .outOfPlace(.late) }
        latest = place

        // The current frame continues only if every check below passes.
        let expected = self.expected
        self.expected = nil
        let follows = expected?.sequenceNumber == place.sequenceNumber
        guard !packet.payload.isEmpty else {
            // Padding between the packets of a frame uses a sequence number and changes nothing else.
            if follows, let expected { expect(after: place.sequenceNumber, timestamp: expected.timestamp) }
            return .empty
        }
        let piece: (startsFrame: Bool, offset: Int)
        do throws(RTPError) {
            piece = try format.piece(
                in: packet.payload, continuesFrame: follows && expected?.timestamp == place.timestamp)
        } catch {
            return .malformed(error)
        }

        if piece.startsFrame {
            frame.removeAll(keepingCapacity: true)
        } else {
            guard follows else { return .outOfPlace(.noStart) }
            guard expected?.timestamp == place.timestamp else { return .outOfPlace(.otherTimestamp) }
        }
        let bytes = packet.payload.extracting(piece.offset...)
        guard bytes.count <= maximumFrameByteCount - frame.count else { return .outOfPlace(.tooLarge) }
        frame.append(copying: bytes)
        guard !header.marker else { return .completed }
        expect(after: place.sequenceNumber, timestamp: place.timestamp)
        return piece.startsFrame ? .started : .continued
    }

    /// A number further back than networks reorder packets means that the sender restarted.
    private func isLate(_ number: SequenceNumber, after latest: SequenceNumber) -> Bool {
        (-1000...0).contains(number.distance(since: latest))
    }

    private mutating func expect(after number: SequenceNumber, timestamp: RTPTimestamp) {
        expected = Expectation(sequenceNumber: number.next, timestamp: timestamp)
    }
}

/// The result of inserting a packet into a depacketizer.
public enum DepacketizeOutcome: Equatable, Sendable {
    /// The packet starts a frame: the array was cleared and now holds this piece.
    case started
    /// The packet's piece was appended.
    case continued
    /// The packet is the last (maybe the only) one of its frame: the array holds the whole frame.
    case completed
    /// The packet has no payload, only padding.
    case empty
    /// The packet was not used. The current frame is dropped, unless the packet was `late`.
    case outOfPlace(Reason)
    /// The packet does not have this payload format. The current frame is dropped.
    case malformed(RTPError)

    /// The reason why a packet was not used.
    public enum Reason: Equatable, Sendable {
        /// Its sequence number equals the newest one or is up to 1000 before it: a duplicate, or too late.
        case late
        /// It belongs to a frame whose start is missing, or follows a gap.
        case noStart
        /// It does not start a frame, and its timestamp differs from the current frame's.
        case otherTimestamp
        /// The frame would exceed the size limit.
        case tooLarge
    }
}

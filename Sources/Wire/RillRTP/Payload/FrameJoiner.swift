/// Reassembles frames from packets that arrive in order. The depacketizers of all payload formats share it.
///
/// A frame with a missing packet is dropped whole.
struct FrameJoiner: Sendable {
    /// The maximum size of a frame in bytes; a larger frame is dropped.
    let maximumFrameByteCount: Int
    private var expected: Expectation?
    private var latest: Expectation?

    /// The position of a packet: the newest one, or the one that continues the current frame.
    private struct Expectation {
        var sequenceNumber: SequenceNumber
        var timestamp: RTPTimestamp
    }

    /// Where the frame's bytes start in a payload, and whether they are the first of their frame.
    struct Piece {
        var startsFrame: Bool
        var offset: Int
    }

    init(maximumFrameByteCount: Int) {
        self.maximumFrameByteCount = maximumFrameByteCount
    }

    /// Whether a frame has started and not yet ended.
    var isInFrame: Bool { expected != nil }

    /// Inserts the next packet.
    ///
    /// - Parameters:
    ///   - packet: the packet.
    ///   - frame: the bytes of the current frame; cleared when a frame starts.
    ///   - parse: parses the payload, which is not empty. `continuesFrame` is whether the packet continues the current
    ///     frame with its timestamp.
    mutating func insert(
        _ packet: RTPPacket, into frame: inout [UInt8],
        parse: (Span<UInt8>, _ continuesFrame: Bool) throws(RTPError) -> Piece
    ) -> DepacketizeOutcome {
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
        let piece: Piece
        do throws(RTPError) {
            piece = try parse(packet.payload, follows && expected?.timestamp == place.timestamp)
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

/// Joins the packets of a stream to frames again, if they come in order: what the depacketizers of all payload formats
/// share. A frame with a packet missing is given up whole.
struct FrameJoiner: Sendable {
    /// A frame that grows beyond this is given up.
    let maximumFrameByteCount: Int
    private var expected: Expectation?
    private var latest: Expectation?

    /// A packet's place: of the newest one, or of the one that the frame in work goes on with.
    private struct Expectation {
        var sequenceNumber: SequenceNumber
        var timestamp: RTPTimestamp
    }

    /// Where the frame's bytes begin in a payload, and whether they are the first of their frame.
    struct Piece {
        var startsFrame: Bool
        var offset: Int
    }

    init(maximumFrameByteCount: Int) {
        self.maximumFrameByteCount = maximumFrameByteCount
    }

    /// Whether a frame has begun and its end is still to come.
    var isInFrame: Bool { expected != nil }

    /// Takes the next packet.
    ///
    /// - Parameter parse: takes the payload apart, which is not empty; it is told whether the packet goes on with the
    ///   timestamp of the frame in work.
    mutating func insert(
        _ packet: RTPPacket, into frame: inout [UInt8],
        parse: (Span<UInt8>, _ goesOn: Bool) throws(RTPError) -> Piece
    ) -> DepacketizeOutcome {
        let header = packet.header
        let place = Expectation(sequenceNumber: header.sequenceNumber, timestamp: header.timestamp)
        if let latest, isLate(place.sequenceNumber, after: latest.sequenceNumber) { return .outOfPlace(.late) }
        latest = place

        // The frame goes on only if nothing below finds fault.
        let expected = self.expected
        self.expected = nil
        let follows = expected?.sequenceNumber == place.sequenceNumber
        guard !packet.payload.isEmpty else {
            // Padding between the packets of a frame takes a sequence number and changes nothing else.
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

    /// Farther back than a network brings packets out of order, the sender has started anew.
    private func isLate(_ number: SequenceNumber, after latest: SequenceNumber) -> Bool {
        (-1000...0).contains(number.distance(since: latest))
    }

    private mutating func expect(after number: SequenceNumber, timestamp: RTPTimestamp) {
        expected = Expectation(sequenceNumber: number.next, timestamp: timestamp)
    }
}

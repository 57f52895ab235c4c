extension TransportFeedback {
    /// What a feedback says of one packet.
    public struct Packet: Equatable, Sendable {
        /// The packet's ``TransportSequenceNumber``.
        public var sequenceNumber: SequenceNumber
        /// Whether it came, and how long after the one before.
        public var status: PacketStatus
        /// When it came by the receiver's clock, in steps of 250 µs; `nil` when it did not. Two feedbacks of one
        /// receiver count from the same instant, until the reference time wraps after 12 days.
        public var arrival: Int64?

        /// What is said of the packet of that number.
        public init(sequenceNumber: SequenceNumber, status: PacketStatus, arrival: Int64?) {
            self.sequenceNumber = sequenceNumber
            self.status = status
            self.arrival = arrival
        }
    }

    /// The packets that a feedback tells of, one after the other, by rising number.
    ///
    /// A view: it lives no longer than what the feedback looks at. Allocates nothing.
    public struct Packets: ~Escapable {
        private let count: Int
        /// Where the statuses are values; else the two below say them.
        private let values: Span<PacketStatus>?
        private let chunks: Span<UInt8>
        private let deltas: Span<UInt8>
        private var index = 0
        private var sequenceNumber: SequenceNumber
        private var arrival: Int64
        // On the wire: the chunk in work, its first packet, and where the next chunk and the next delta stand.
        private var chunk = PacketStatusChunk(rawValue: 0)
        private var chunkStart = 0
        private var nextChunk = 0
        private var nextDelta = 0

        @_lifetime(copy feedback)
        init(_ feedback: borrowing TransportFeedback) {
            switch feedback.storage {
            case .wire(_, let chunks, let deltas): (values, self.chunks, self.deltas) = (nil, chunks, deltas)
            case .values(let packets): (values, chunks, deltas) = (packets, Span(), Span())
            }
            count = feedback.count
            sequenceNumber = feedback.baseSequenceNumber
            arrival = Int64(feedback.referenceTime) * TransportFeedback.ticksPerReferenceStep
        }

        /// The next packet; `nil` behind the last.
        @_lifetime(self: copy self)
        public mutating func next() -> Packet? {
            guard index < count else { return nil }
            let status = nextStatus()
            var packet = Packet(sequenceNumber: sequenceNumber, status: status, arrival: nil)
            if case .received(let delta) = status {
                arrival += Int64(delta)
                packet.arrival = arrival
            }
            index += 1
            sequenceNumber = sequenceNumber.next
            return packet
        }

        @_lifetime(self: copy self)
        private mutating func nextStatus() -> PacketStatus {
            if let values { return values[index] }
            while index - chunkStart >= chunk.capacity {
                chunkStart += chunk.capacity
                chunk = PacketStatusChunk(rawValue: UInt16(chunks[nextChunk]) << 8 | UInt16(chunks[nextChunk + 1]))
                nextChunk += 2
            }
            let symbol = chunk.symbol(at: index - chunkStart)
            defer { nextDelta += Int(symbol) }
            switch symbol {
            case PacketStatusChunk.smallDelta:
                return .received(delta: Int16(deltas[nextDelta]))
            case PacketStatusChunk.largeDelta:
                let bits = UInt16(deltas[nextDelta]) << 8 | UInt16(deltas[nextDelta + 1])
                return .received(delta: Int16(bitPattern: bits))
            default:
                return .notReceived
            }
        }
    }
}

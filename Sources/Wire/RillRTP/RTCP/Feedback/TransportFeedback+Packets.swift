extension TransportFeedback {
    /// The feedback for one packet.
    public struct Packet: Equatable, Sendable {
        /// The packet's ``TransportSequenceNumber``.
        public var sequenceNumber: SequenceNumber
        /// Whether the packet arrived, and how long after the previous one.
        public var status: PacketStatus
        /// The arrival time by the receiver's clock, in steps of 250 µs; `nil` if the packet did not arrive. All
        /// feedback packets of a receiver count from the same instant, until the reference time wraps after 12 days.
        public var arrival: Int64?

        /// The feedback for the packet with that sequence number.
        public init(sequenceNumber: SequenceNumber, status: PacketStatus, arrival: Int64?) {
            self.sequenceNumber = sequenceNumber
            self.status = status
            self.arrival = arrival
        }
    }

    /// Iterates over the packets of a feedback packet, by ascending sequence number.
    ///
    /// A view that cannot outlive what the feedback views. Allocates nothing.
    public struct Packets: ~Escapable {
        private let count: Int
        /// The statuses in memory; `nil` if they are parsed from `chunks` and `deltas`.
        private let values: Span<PacketStatus>?
        private let chunks: Span<UInt8>
        private let deltas: Span<UInt8>
        private var index = 0
        private var sequenceNumber: SequenceNumber
        private var arrival: Int64
        // When parsing: the current chunk, its first packet, and the offsets of the next chunk and the next delta.
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

        /// Returns the next packet, or `nil` after the last one.
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

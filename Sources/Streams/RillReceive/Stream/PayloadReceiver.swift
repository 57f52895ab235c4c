public import RillCore
public import RillRTP

/// A payload of a stream without frames, in the order of arrival.
public struct ReceivedPayload: Equatable, Sendable {
    /// The sequence number of its packet, extended: it counts on where 16 bits wrap. Gaps are lost or late packets.
    public var sequenceNumber: Int64
    /// Its timestamp on the stream's clock.
    public var timestamp: RTPTimestamp
    /// The marker bit: the first of a talkspurt (RFC 7587 §4.1).
    public var hasMarker: Bool
    /// How loud it is, as its sender says (RFC 6464); `nil` if it does not.
    public var level: AudioLevel?
    /// When it arrived.
    public var arrival: MediaTime
}

/// Receives one stream of audio: packets go in, payloads come out in the order of arrival. It drops duplicates, counts
/// for receiver reports on the stream's clock, and follows jumps as ``JitterBuffer`` does. It puts nothing in order and
/// waits for nothing.
///
/// Insert each packet, then take payloads until there is none. Payloads wait in a ring; if they are not taken, the
/// oldest are dropped. It has one owner, and no clock or thread. Any bytes are safe. When the ring has grown to the
/// stream's packets, it allocates nothing. Sources: RFC 3550 §6.4.1, A.1, A.3, A.8.
package final class PayloadReceiver {
    private let ssrc: SSRC
    private let payloadType: PayloadType
    private let maximumPacketByteCount: Int
    /// The ID of the level in packets; `nil` if it was not negotiated.
    private let levelID: UInt8?
    private var continuity: StreamContinuity
    private var reception: ReceptionCounter
    private var counts = InboundStatistics()
    /// The newest sequence number, and which of the 64 up to it have arrived: bit 0 is the newest.
    private var newest: Int64?
    private var arrived: UInt64 = 0
    private var ring = Ring()

    /// The payloads that wait, the oldest first.
    private struct Ring {
        private var slots: [(payload: ReceivedPayload, bytes: [UInt8])] = []
        private var first = 0
        private(set) var count = 0

        /// A second and more of packets of 20 ms: an app that takes none for so long has no use for older ones.
        static let capacity = 64

        /// Appends a payload; returns whether the oldest was dropped for it.
        mutating func append(_ payload: ReceivedPayload, _ bytes: Span<UInt8>) -> Bool {
            let isFull = count == Ring.capacity
            if isFull { removeFirst() }
            let index = (first + count) % Ring.capacity
            if index == slots.count { slots.append((payload, [])) } else { slots[index].payload = payload }
            slots[index].bytes.removeAll(keepingCapacity: true)
            slots[index].bytes.append(copying: bytes)
            count += 1
            return isFull
        }

        /// Takes the oldest payload; its bytes are exchanged for `bytes`, so that the memory is reused.
        mutating func take(into bytes: inout [UInt8]) -> ReceivedPayload? {
            guard count > 0 else { return nil }
            swap(&slots[first].bytes, &bytes)
            let payload = slots[first].payload
            removeFirst()
            return payload
        }

        private mutating func removeFirst() {
            first = (first + 1) % Ring.capacity
            count -= 1
        }
    }

    /// A receiver of the stream with these settings, whose SSRC is known.
    package init(_ settings: JitterBufferSettings, ssrc: SSRC) {
        self.ssrc = ssrc
        payloadType = settings.payloadType
        maximumPacketByteCount = settings.maximumPacketByteCount
        levelID = settings.headerExtensions[.audioLevel]
        continuity = StreamContinuity(capacity: PayloadReceiver.reach, settings.clockRate)
        reception = ReceptionCounter(settings.clockRate)
    }

    /// Sequence numbers further than half of this from the newest are a jump: 20 s of packets of 20 ms.
    private static let reach = 2048

    /// Inserts a packet.
    ///
    /// - Parameters:
    ///   - datagram: the packet.
    ///   - isWanted: whether its payload is to be taken; otherwise it is only counted.
    ///   - now: when it arrived.
    /// - Returns: what became of it. A packet on probation is lost to the stream.
    package func insert(_ datagram: Span<UInt8>, isWanted: Bool, at now: MediaTime) -> InsertResult {
        let result = take(datagram, isWanted: isWanted, at: now)
        counts.note(result)
        return result
    }

    private func take(_ datagram: Span<UInt8>, isWanted: Bool, at now: MediaTime) -> InsertResult {
        let packet: RTPPacket
        do throws(RTPError) { packet = try RTPPacket(parsing: datagram) } catch { return .malformed(error) }
        let header = packet.header
        guard header.payloadType == payloadType else { return .wrongPayloadType(header.payloadType) }
        guard header.ssrc == ssrc else { return .wrongSSRC(header.ssrc) }
        guard datagram.count <= maximumPacketByteCount else { return .oversized(byteCount: datagram.count) }
        let place: (sequence: Int64, timestamp: Int64)
        switch continuity.judge(header.sequenceNumber, header.timestamp, at: now) {
        case .fits(let sequence, let timestamp): place = (sequence, timestamp)
        case .straggler: return .late
        case .onProbation: return .onProbation
        case .jumped(let jump), .resumed(let jump):
            restart(jump)
            guard
                case .fits(let sequence, let timestamp) = continuity.judge(
                    header.sequenceNumber, header.timestamp, at: now)
            else { return .onProbation }
            place = (sequence, timestamp)
        }
        reception.note(sequence: place.sequence, timestamp: place.timestamp, at: now)
        counts.bytesReceived += packet.payload.count
        counts.headerBytesReceived += datagram.count - packet.payload.count
        guard isFirst(place.sequence) else { return .duplicate }
        guard !packet.payload.isEmpty else { return .padding }
        guard isWanted else { return .queued }
        let payload = ReceivedPayload(
            sequenceNumber: place.sequence, timestamp: header.timestamp, hasMarker: header.marker,
            level: level(of: packet), arrival: now)
        return ring.append(payload, packet.payload) ? .queuedAfterOverflow(droppedFrames: 1) : .queued
    }

    private func level(of packet: borrowing RTPPacket) -> AudioLevel? {
        guard let levelID, let block = packet.headerExtension else { return nil }
        var elements = block.elements
        // After an element that cannot be read the rest of the block is unknown.
        while let element = try? elements.next() {
            if element.id == levelID { return try? AudioLevel(parsing: element.data) }
        }
        return nil
    }

    private func restart(_ jump: StreamContinuity.Jump) {
        counts.resynchronizations += 1
        reception.restart(keepsSequence: jump.keepsSequence, keepsTime: jump.keepsTime)
        if !jump.keepsSequence { (newest, arrived) = (nil, 0) }
    }

    /// Whether the packet has not arrived before; one that is more than 63 behind the newest counts as new.
    private func isFirst(_ sequence: Int64) -> Bool {
        guard let newest else {
            (self.newest, arrived) = (sequence, 1)
            return true
        }
        let step = sequence - newest
        if step > 0 {
            arrived = step < 64 ? arrived << UInt64(step) | 1 : 1
            self.newest = sequence
            return true
        }
        guard step > -64 else { return true }
        let bit = UInt64(1) << UInt64(-step)
        defer { arrived |= bit }
        return arrived & bit == 0
    }

    /// Takes the oldest payload that waits; `nil` for none.
    ///
    /// - Parameter bytes: receives the payload; its memory is reused.
    package func next(into bytes: inout [UInt8]) -> ReceivedPayload? { ring.take(into: &bytes) }

    /// The number of payloads that wait.
    package var waitingCount: Int { ring.count }

    /// Returns the block for the next receiver report; `nil` before the first packet.
    package func reportBlock(at now: MediaTime) -> ReportBlock? {
        reception.packetsReceived > 0 ? reception.report(on: ssrc, at: now) : nil
    }

    /// Records a sender report, so that the next block gives the sender its round-trip time.
    package func receive(_ report: SenderReport, at now: MediaTime) {
        guard report.ssrc == ssrc else { return }
        reception.noteSenderReport(sent: report.ntpTimestamp.short, at: now)
    }

    /// The counters of packets; those of frames are zero.
    package var statistics: InboundStatistics {
        var statistics = counts
        statistics.packetsReceived = reception.packetsReceived
        statistics.packetsLost = reception.packetsLost
        statistics.jitter = MediaDuration(nanoseconds: reception.jitter)
        return statistics
    }
}

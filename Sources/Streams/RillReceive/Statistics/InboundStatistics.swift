public import RillCore

/// The counters of a ``JitterBuffer`` since it was created.
///
/// Names are those of "inbound-rtp" in W3C webrtc-stats where they exist; times in seconds there are
/// ``/RillCore/MediaDuration`` here. Freezes and pauses are what a viewer sees, not what the buffer does:
/// ``FreezeMeter``.
public struct InboundStatistics: Codable, Equatable, Sendable {
    // MARK: Packets

    /// RTP packets of this stream, including duplicates and late ones.
    public internal(set) var packetsReceived = 0
    /// Packets expected minus packets received (RFC 3550 A.3); negative if there were more duplicates than losses.
    public internal(set) var packetsLost = 0
    /// Packets that arrived after their frame was played out or dropped.
    public internal(set) var packetsDiscarded = 0
    /// Duplicate packets.
    public internal(set) var packetsDuplicated = 0
    /// Missing packets that a retransmission brought in time. Those that probe the network bring none.
    public internal(set) var packetsRetransmitted = 0
    /// Packets that contradicted others, were too long, or were not RTP with the stream's format.
    public internal(set) var packetsRejected = 0
    /// Packets that did not fit the stream and were set aside; two that fit each other are a jump.
    public internal(set) var packetsOnProbation = 0
    /// Jumps of sequence numbers or timestamps after which the buffer restarted.
    public internal(set) var resynchronizations = 0
    /// Packets of other SSRCs or payload types. No other counter includes them.
    public internal(set) var foreignPackets = 0
    /// Payload bytes, without headers and padding.
    public internal(set) var bytesReceived = 0
    /// Bytes of RTP headers, header extensions, and padding.
    public internal(set) var headerBytesReceived = 0
    /// Interarrival jitter (RFC 3550 §6.4.1).
    public internal(set) var jitter = MediaDuration.zero

    // MARK: Frames

    /// Frames that became complete.
    public internal(set) var framesReceived = 0
    /// Key frames among them.
    public internal(set) var keyFramesReceived = 0
    /// Frames among them with a packet that was retransmitted or recovered by FEC.
    public internal(set) var framesRepaired = 0
    /// Repaired frames that were released after their time, because other frames need them.
    public internal(set) var framesRepairedLate = 0
    /// Frames among them with more than one packet.
    public internal(set) var framesAssembledFromMultiplePackets = 0
    /// The time from the first packet to the last, summed over the frames with more than one packet.
    public internal(set) var totalAssemblyTime = MediaDuration.zero
    /// Frames that were too late to be shown, and were released to be decoded only.
    public internal(set) var framesDecodedOnly = 0
    /// Frames of which a packet arrived, but which were never released.
    public internal(set) var drops = Drops()
    /// Frames that were not shown: never released, or released to be decoded only.
    public var framesDropped: Int { drops.total + framesDecodedOnly }

    /// Frames that were never released, by reason.
    public struct Drops: Codable, Equatable, Sendable {
        /// Packets were missing when a later frame was released.
        public internal(set) var incomplete = 0
        /// Complete, but a frame that it refers to was not.
        public internal(set) var undecodable = 0
        /// Complete, but its successor was due and no frame refers to it.
        public internal(set) var notNeeded = 0
        /// The buffer was full.
        public internal(set) var overflow = 0
        /// The stream jumped, or went over to another codec.
        public internal(set) var resynchronized = 0
        /// Complete, but its bytes are not a frame of the codec.
        public internal(set) var malformed = 0
        /// The stream was paused because it was not wanted.
        public internal(set) var paused = 0

        /// The sum of all reasons.
        public var total: Int {
            incomplete + undecodable + notNeeded + overflow + resynchronized + malformed + paused
        }
    }

    // MARK: Time

    /// The time from a frame's first packet to its release, summed over the released frames.
    public internal(set) var jitterBufferDelay = MediaDuration.zero
    /// The target delay, summed over the released frames.
    public internal(set) var jitterBufferTargetDelay = MediaDuration.zero
    /// Frames released, to be shown or to be decoded only.
    public internal(set) var jitterBufferEmittedCount = 0

    /// The current target delay: from the shortest transit of the last minute to the time of showing.
    public internal(set) var targetDelay = MediaDuration.zero
    /// By how much the receiver's clock runs faster than the sender's, as a fraction: 0.0001 is 100 ppm. It is
    /// estimated after about two minutes.
    public internal(set) var clockSkew = 0.0

    // MARK: Requests

    /// The round-trip time to the sender, as it was set.
    public internal(set) var roundTripTime = MediaDuration.zero
    /// NACKs sent, each for one or more packets; repetitions within a round trip are not counted.
    public internal(set) var nackCount = 0
    /// Key frame requests sent.
    public internal(set) var pliCount = 0

    /// Creates zero counters.
    public init() {}
}

extension InboundStatistics: CustomStringConvertible {
    /// The non-zero counters by name: `packetsReceived 310, drops (incomplete 1), jitter 1.250ms`.
    public var description: String { countedText(self) }
}

/// Counting of packets and frames.
extension InboundStatistics {
    /// Counts the outcome of a packet that a retransmission brought.
    mutating func noteRetransmission(_ result: InsertResult) {
        switch result {
        case .queued, .queuedAfterOverflow, .padding: packetsRetransmitted += 1
        default: break
        }
    }

    /// Counts the outcome of a packet.
    mutating func note(_ result: InsertResult) {
        switch result {
        case .queued, .queuedAfterOverflow, .padding: break
        case .duplicate: packetsDuplicated += 1
        case .late: packetsDiscarded += 1
        case .onProbation: packetsOnProbation += 1
        case .inconsistent, .oversized, .malformed: packetsRejected += 1
        case .wrongSSRC, .wrongPayloadType: foreignPackets += 1
        }
    }

    /// Counts a frame that became complete.
    ///
    /// Always inlined, like other code that reads a few fields of a frame: a call would copy the frame.
    @inline(__always)
    mutating func noteComplete(_ frame: PendingFrame, at now: MediaTime) {
        framesReceived += 1
        if frame.isRepaired { framesRepaired += 1 }
        if frame.isKey { keyFramesReceived += 1 }
        if frame.packetCount > 1 {
            framesAssembledFromMultiplePackets += 1
            totalAssemblyTime += now - frame.arrival
        }
    }

    /// Counts a frame that goes to the decoder.
    @inline(__always)
    mutating func noteRelease(
        _ frame: PendingFrame, isOvertaken: Bool, isLate: Bool, at now: MediaTime, targetDelay: MediaDuration
    ) {
        jitterBufferEmittedCount += 1
        if isLate && frame.isRepaired { framesRepairedLate += 1 }
        jitterBufferDelay += now - frame.arrival
        jitterBufferTargetDelay += targetDelay
        if isOvertaken { framesDecodedOnly += 1 }
    }
}

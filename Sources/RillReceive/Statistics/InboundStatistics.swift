public import RillCore

/// What a ``JitterBuffer`` counts, since it was made.
///
/// Names are those of "inbound-rtp" in W3C webrtc-stats where it has one; what it measures in seconds is a
/// ``MediaDuration`` here. Freezes and pauses are what a viewer sees, not what the buffer does: ``FreezeMeter``.
public struct InboundStatistics: Codable, Equatable, Sendable {
    // MARK: Packets

    /// RTP packets of this stream, duplicates and late ones too.
    public internal(set) var packetsReceived = 0
    /// Packets expected less packets received (RFC 3550 A.3); negative when more duplicates came than packets were lost.
    public internal(set) var packetsLost = 0
    /// Packets that came after their frame was played out or dropped.
    public internal(set) var packetsDiscarded = 0
    /// Packets that were there already.
    public internal(set) var packetsDuplicated = 0
    /// Packets that contradicted others, were too long, or no RTP with the stream's format.
    public internal(set) var packetsRejected = 0
    /// Packets that did not fit the stream and were set aside; two that fit each other make a jump.
    public internal(set) var packetsOnProbation = 0
    /// Jumps of sequence numbers or timestamps after which the buffer began anew.
    public internal(set) var resynchronisations = 0
    /// Packets of other sources or payload types. They count nowhere else.
    public internal(set) var foreignPackets = 0
    /// Payload bytes, without headers and padding.
    public internal(set) var bytesReceived = 0
    /// Bytes of RTP headers, their extensions, and padding.
    public internal(set) var headerBytesReceived = 0
    /// Interarrival jitter (RFC 3550 §6.4.1).
    public internal(set) var jitter = MediaDuration.zero

    // MARK: Frames

    /// Frames that became whole.
    public internal(set) var framesReceived = 0
    /// Key frames among them.
    public internal(set) var keyFramesReceived = 0
    /// Frames among them of which a packet was sent again, or made again from FEC packets.
    public internal(set) var framesRepaired = 0
    /// Frames of those that were released after their time, to be decoded because others need them.
    public internal(set) var framesRepairedLate = 0
    /// Frames of more than one packet among them.
    public internal(set) var framesAssembledFromMultiplePackets = 0
    /// The time from the first packet to the last, summed over the frames of more than one packet.
    public internal(set) var totalAssemblyTime = MediaDuration.zero
    /// Frames that came too late to be shown and were released to be decoded only.
    public internal(set) var framesDecodedOnly = 0
    /// Frames of which something came, and which were never released.
    public internal(set) var drops = Drops()
    /// Frames that were not shown: never released, or released to be decoded only.
    public var framesDropped: Int { drops.total + framesDecodedOnly }

    /// Frames that were never released, by reason.
    public struct Drops: Codable, Equatable, Sendable {
        /// Packets were missing when a later frame was released.
        public internal(set) var incomplete = 0
        /// Whole, but a frame that it refers to was not.
        public internal(set) var undecodable = 0
        /// Whole, but its successor was due and no frame refers to it.
        public internal(set) var notNeeded = 0
        /// The buffer was full.
        public internal(set) var overflow = 0
        /// The stream jumped.
        public internal(set) var resynchronised = 0
        /// Whole, but its bytes are no frame of the codec.
        public internal(set) var malformed = 0
        /// Nobody wanted the stream: it was paused.
        public internal(set) var paused = 0

        /// All of them.
        public var total: Int {
            incomplete + undecodable + notNeeded + overflow + resynchronised + malformed + paused
        }
    }

    // MARK: Time

    /// The time from a frame's first packet to its release, summed over the frames released.
    public internal(set) var jitterBufferDelay = MediaDuration.zero
    /// The delay aimed at, summed over the frames released.
    public internal(set) var jitterBufferTargetDelay = MediaDuration.zero
    /// Frames released, to be shown or to be decoded only.
    public internal(set) var jitterBufferEmittedCount = 0

    /// The delay that is aimed at now: from the fastest way of the last minute to the moment of showing.
    public internal(set) var targetDelay = MediaDuration.zero
    /// By how much the receiver's clock runs faster than the sender's, as a share, from some two minutes on: 0.0001 is
    /// 100 ppm.
    public internal(set) var clockSkew = 0.0

    // MARK: Requests

    /// The time from here to the sender and back, as it was told.
    public internal(set) var roundTripTime = MediaDuration.zero
    /// NACKs sent, each for one packet or more; those that only repeat one within its round trip are not counted.
    public internal(set) var nackCount = 0
    /// Key frames asked for.
    public internal(set) var pliCount = 0

    /// Nothing counted yet.
    public init() {}
}

extension InboundStatistics: CustomStringConvertible {
    /// What is not zero, by name: `packetsReceived 310, drops (incomplete 1), jitter 1.250ms`.
    public var description: String { countedText(self) }
}

/// The events of one layer in one interval of a session.
public struct TimelineInterval: Sendable, Equatable {
    // MARK: On the wire

    /// RTP packets handed to the network: new ones, retransmissions, FEC packets.
    public internal(set) var packetsSent: Int32 = 0
    /// The ones among them that the network did not deliver.
    public internal(set) var packetsLost: Int32 = 0
    /// Bytes of RTP datagrams handed to the network.
    public internal(set) var bytesSent: Int64 = 0
    /// The ones among them in retransmissions, on a separate stream (RTX) or unchanged.
    public internal(set) var retransmittedBytes: Int64 = 0
    /// The ones among them in FEC packets (ULPFEC).
    public internal(set) var fecBytes: Int64 = 0
    /// Bytes of RTP datagrams that arrived.
    public internal(set) var bytesReceived: Int64 = 0

    // MARK: Frames

    /// Frames whose last packet was handed to the network.
    public internal(set) var framesSent: Int32 = 0
    /// Key frames among them.
    public internal(set) var keyFramesSent: Int32 = 0
    /// Frames that were shown.
    public internal(set) var framesShown: Int32 = 0
    /// Frames released to the decoder with a packet that was retransmitted or recovered by FEC.
    public internal(set) var framesRepaired: Int32 = 0
    /// Frames released, to be shown, after their playout time.
    public internal(set) var framesLate: Int32 = 0
    /// Frames released so late that they were only decoded.
    public internal(set) var framesDecodedOnly: Int32 = 0

    // MARK: Requests

    /// NACKs of the receiver, each for one or more packets.
    public internal(set) var packetRequests: Int32 = 0
    /// Packets in those.
    public internal(set) var packetsRequested: Int32 = 0
    /// Key frame requests of the receiver (PLI).
    public internal(set) var keyFramesRequested: Int32 = 0

    // MARK: Delays, in milliseconds

    /// The jitter buffer's target delay for each released frame: from the shortest transit of the last minute to the
    /// time of showing.
    public internal(set) var targetDelay = Spread()
    /// From a frame's first packet to its release.
    public internal(set) var bufferDelay = Spread()
    /// From the capture of a frame to its showing.
    public internal(set) var frameDelay = Spread()

    /// Creates an empty interval.
    init() {}

    /// Creates the sum of intervals.
    public init(sumOf intervals: some Sequence<TimelineInterval>) {
        for interval in intervals { merge(interval) }
    }

    /// Adds the events of another interval.
    mutating func merge(_ other: TimelineInterval) {
        packetsSent += other.packetsSent
        packetsLost += other.packetsLost
        bytesSent += other.bytesSent
        retransmittedBytes += other.retransmittedBytes
        fecBytes += other.fecBytes
        bytesReceived += other.bytesReceived
        framesSent += other.framesSent
        keyFramesSent += other.keyFramesSent
        framesShown += other.framesShown
        framesRepaired += other.framesRepaired
        framesLate += other.framesLate
        framesDecodedOnly += other.framesDecodedOnly
        packetRequests += other.packetRequests
        packetsRequested += other.packetsRequested
        keyFramesRequested += other.keyFramesRequested
        targetDelay.merge(other.targetDelay)
        bufferDelay.merge(other.bufferDelay)
        frameDelay.merge(other.frameDelay)
    }
}

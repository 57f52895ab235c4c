/// What happened on one layer in one interval of a session.
public struct TimelineInterval: Sendable, Equatable {
    // MARK: On the wire

    /// RTP packets that were handed to the network: new ones, ones sent again, FEC packets.
    public internal(set) var packetsSent: Int32 = 0
    /// Of those, the ones that the network did not deliver.
    public internal(set) var packetsLost: Int32 = 0
    /// Bytes of RTP datagrams that were handed to the network.
    public internal(set) var bytesSent: Int64 = 0
    /// Of those, the ones of packets that were sent before, on a stream of their own (RTX) or as they were.
    public internal(set) var retransmittedBytes: Int64 = 0
    /// Of those, the ones of FEC packets (ULPFEC).
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
    /// Frames released to the decoder of which a packet was sent again, or made again from FEC packets.
    public internal(set) var framesRepaired: Int32 = 0
    /// Frames released, to be shown, after the time that they were to be played out at.
    public internal(set) var framesLate: Int32 = 0
    /// Frames released so late that they were only decoded.
    public internal(set) var framesDecodedOnly: Int32 = 0

    // MARK: Requests

    /// Requests of the receiver for missing packets (generic NACK), each for one packet or more.
    public internal(set) var packetRequests: Int32 = 0
    /// Packets in those.
    public internal(set) var packetsRequested: Int32 = 0
    /// Key frames that the receiver asked for (PLI).
    public internal(set) var keyFramesRequested: Int32 = 0

    // MARK: Delays, in milliseconds

    /// What the jitter buffer aimed at, of each frame released: from the fastest way of the last minute to its showing.
    public internal(set) var targetDelay = Spread()
    /// From a frame's first packet to its release.
    public internal(set) var bufferDelay = Spread()
    /// From the capture of a frame to its showing.
    public internal(set) var frameDelay = Spread()

    /// Nothing happened.
    init() {}

    /// What happened in all of them.
    public init(sumOf intervals: some Sequence<TimelineInterval>) {
        for interval in intervals { merge(interval) }
    }

    /// Adds what happened in another interval.
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

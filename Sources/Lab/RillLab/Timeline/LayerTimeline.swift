public import RillCore
import RillReceive

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
    package init() {}

    /// Creates the sum of intervals.
    public init(sumOf intervals: some Sequence<TimelineInterval>) {
        for interval in intervals { merge(interval) }
    }
}

extension TimelineInterval: MergeableInterval {
    package static var counts: [String: WritableKeyPath<Self, Int32>] {
        [
            "packetsSent": \.packetsSent, "packetsLost": \.packetsLost, "framesSent": \.framesSent,
            "keyFramesSent": \.keyFramesSent, "framesShown": \.framesShown, "framesRepaired": \.framesRepaired,
            "framesLate": \.framesLate, "framesDecodedOnly": \.framesDecodedOnly,
            "packetRequests": \.packetRequests, "packetsRequested": \.packetsRequested,
            "keyFramesRequested": \.keyFramesRequested,
        ]
    }

    package static var bytes: [String: WritableKeyPath<Self, Int64>] {
        [
            "bytesSent": \.bytesSent, "retransmittedBytes": \.retransmittedBytes, "fecBytes": \.fecBytes,
            "bytesReceived": \.bytesReceived,
        ]
    }

    package static var spreads: [String: WritableKeyPath<Self, Spread>] {
        ["targetDelay": \.targetDelay, "bufferDelay": \.bufferDelay, "frameDelay": \.frameDelay]
    }
}

/// The events of one layer of a session over time, which ``LoopbackReport`` summarizes.
///
/// Times are on the session's clock, which starts at zero.
public struct LayerTimeline: Sendable {
    /// The layer's name.
    public var rid: StreamLayer.RID
    /// The length of each interval: 1/128 s times a power of two.
    public var intervalLength: MediaDuration
    /// The intervals from time zero up to the last one with an event; at most 2048.
    public var intervals: [TimelineInterval]
    /// Freezes by either rule, in chronological order; at most the longest 512.
    public var freezes: [Freeze]
    /// The number of further freezes, all shorter.
    public var omittedFreezes: Int
    /// The longest freezes, at most a dozen, with the pictures before and after.
    public var picturedFreezes: [PicturedFreeze]
    /// When the first picture was shown.
    public var firstShown: MediaTime?
    /// When the last picture was shown.
    public var lastShown: MediaTime?
    /// When the last frame was handed to the network.
    public var lastSent: MediaTime?

    /// The time from the last picture to the last frame sent, if more than 500 ms: a freeze that no picture ended,
    /// which neither rule counts. `nil` if there is none; if nothing was shown it starts at zero.
    public var unendedFreeze: (start: MediaTime, end: MediaTime)? {
        guard let lastSent else { return nil }
        let start = lastShown ?? .zero
        return lastSent - start > FreezeMeter.longGap ? (start, lastSent) : nil
    }

    /// Returns the start of interval `index`.
    public func start(ofInterval index: Int) -> MediaTime { .zero + intervalLength * index }
}

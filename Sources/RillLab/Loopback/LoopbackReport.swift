/// What became of a loopback session. Counts bear the names of W3C webrtc-stats where it has one; times are in
/// milliseconds unless the name says otherwise, bitrates in bits per second.
public struct LoopbackReport: Codable, Sendable {
    /// `virtual` or `live`.
    public var mode: String
    /// Length of what was sent, in seconds of media.
    public var duration: Double
    /// Frames that the source gave.
    public var framesCaptured: Int
    /// The network, in the command line's grammar.
    public var network: String
    /// That of the way back; absent where it is the same, with chance of its own.
    public var returnNetwork: String?
    /// The layers, in the order in which they were asked for.
    public var layers: [Layer]
    /// Why the source ended before its end, if it did. What came before was sent.
    public var interruption: String?
    /// What of the source could not be read, where whoever opened it knows that: of a file that is cut off, of damaged
    /// frames. Absent where nothing is missing.
    public var missing: String?

    /// One layer.
    public struct Layer: Codable, Sendable {
        /// The layer's name.
        public var rid: String
        /// Size of its pictures.
        public var resolution: String
        /// What it was to be sent at.
        public var targetBitrate: Int
        /// What was sent.
        public var sent: Sent
        /// What arrived and was shown.
        public var received: Received
        /// Likeness of what was shown to the source; absent where nothing was compared.
        public var quality: Quality?
        /// What the receiving side adds to the network's smallest delay; absent where nothing was shown.
        public var addedDelay: AddedDelay?
        /// From stage to stage, and in all.
        public var latencies: [LatencySummary]
    }

    /// The sending side of a layer.
    public struct Sent: Codable, Sendable {
        /// Frames coded.
        public var framesEncoded: Int
        /// Frames a second, over the session.
        public var framesPerSecond: Double
        /// Key frames among them.
        public var keyFramesEncoded: Int
        /// Frames that gave way to a newer one, or that the rate control left out.
        public var framesDropped: Int
        /// Frames left out because they were the same as the one before.
        public var framesUnchanged: Int
        /// Size of the last pictures.
        public var resolution: String
        /// What keeps the layer below its settings: `none`, `cpu` or `bandwidth`.
        public var qualityLimitationReason: String
        /// How often its size was adapted.
        public var qualityLimitationResolutionChanges: Int
        /// RTP packets.
        public var packetsSent: Int
        /// Bytes of payload.
        public var bytesSent: Int
        /// Bytes of RTP headers.
        public var headerBytesSent: Int
        /// Bits of coded frames a second, over the session.
        public var bitrate: Double
        /// Mean quantizer index: 0 to 127 for VP8, 0 to 255 for VP9.
        public var meanQP: Double
        /// RTP packets among them that were sent again.
        public var retransmittedPacketsSent: Int
        /// Bytes of payload in those.
        public var retransmittedBytesSent: Int
        /// RTP packets among them that are FEC packets (ULPFEC).
        public var fecPacketsSent: Int
        /// Bytes of payload in those.
        public var fecBytesSent: Int
        /// Key-frame requests that arrived.
        public var pliCount: Int
        /// Requests for packets that arrived, each for any number of them.
        public var nackCount: Int
        /// Packets asked for that were not sent again, for whatever reason.
        public var refusedRetransmissions: Int
        /// The time to the receiver and back at the end; absent where it was never measured.
        public var roundTripTime: Double?
        /// All measurements of it, summed.
        public var totalRoundTripTime: Double
        /// How many there were.
        public var roundTripTimeMeasurements: Int
    }

    /// The receiving side of a layer.
    public struct Received: Codable, Sendable {
        /// RTP packets that arrived, duplicates and late ones too.
        public var packetsReceived: Int
        /// Packets expected less packets received (RFC 3550 A.3); negative when more were duplicated than lost.
        public var packetsLost: Int
        /// Packets that came after their frame was played out or given up.
        public var packetsDiscarded: Int
        /// Packets that were there already; W3C has no name for them.
        public var packetsDuplicated: Int
        /// Frames that became whole.
        public var framesReceived: Int
        /// Frames decoded, also those that came too late to be shown.
        public var framesDecoded: Int
        /// Key frames among them.
        public var keyFramesDecoded: Int
        /// Frames of which something arrived and that were not shown: given up, or only decoded.
        public var framesDropped: Int
        /// Pictures handed to the sink.
        public var framesShown: Int
        /// Pictures shown, of those coded.
        public var shownShare: Double
        /// By W3C's rule: a gap of max(3 mean gaps, mean gap + 150 ms).
        public var freezeCount: Int
        /// Those gaps, summed, in milliseconds.
        public var totalFreezesDuration: Double
        /// Gaps of more than 500 ms, the rule of call SDKs.
        public var longFreezeCount: Int
        /// Those gaps, summed, in milliseconds.
        public var totalLongFreezesDuration: Double
        /// Gaps of more than 5 s.
        public var pauseCount: Int
        /// Those gaps, summed, in milliseconds.
        public var totalPausesDuration: Double
        /// The time from picture to picture, summed, in milliseconds.
        public var totalInterFrameDelay: Double
        /// The squares of those times, summed, in seconds squared.
        public var totalSquaredInterFrameDelay: Double
        /// Key frames asked for.
        public var pliCount: Int
        /// Requests for missing packets, each for one packet or more.
        public var nackCount: Int
        /// Packets that came again on a stream of their own.
        public var retransmittedPacketsReceived: Int
        /// Their payload, in bytes.
        public var retransmittedBytesReceived: Int
        /// FEC packets that came.
        public var fecPacketsReceived: Int
        /// FEC packets of no use.
        public var fecPacketsDiscarded: Int
        /// Packets computed from FEC packets; W3C has no name for them.
        public var packetsRecovered: Int
        /// Frames that became whole by a packet that was sent again, or computed from FEC packets.
        public var framesRepaired: Int
        /// Of those, frames that were released after their time.
        public var framesRepairedLate: Int
        /// Frames released so late that they were decoded only.
        public var framesDecodedOnly: Int
        /// Frames of more than one packet that became whole.
        public var framesAssembledFromMultiplePackets: Int
        /// The time from such a frame's first packet to its last, summed, in milliseconds.
        public var totalAssemblyTime: Double
        /// Interarrival jitter at the end (RFC 3550 §6.4.1), in milliseconds.
        public var jitter: Double
        /// By how much the receiver's clock runs faster than the sender's, as a share: 0.0001 is 100 ppm.
        public var clockSkew: Double
        /// The time to the sender and back, as the receiver measured it; absent where it never did.
        public var roundTripTime: Double?
        /// All measurements of it, summed.
        public var totalRoundTripTime: Double
        /// How many there were.
        public var roundTripTimeMeasurements: Int
        /// Frames that left the jitter buffer.
        public var jitterBufferEmittedCount: Int
        /// Mean of what the jitter buffer aimed at.
        public var jitterBufferTargetDelay: Double
        /// Mean time from a frame's first packet to its release.
        public var jitterBufferDelay: Double
    }

    /// Likeness to the source. A PSNR is absent where all pictures equal their source.
    public struct Quality: Codable, Sendable {
        /// Pictures compared.
        public var frames: Int
        /// Of the mean squared error over all pictures, in dB.
        public var psnrY: Double?
        /// The same of the blue-difference plane.
        public var psnrU: Double?
        /// The same of the red-difference plane.
        public var psnrV: Double?
        /// Mean over the pictures.
        public var ssimY: Double?
    }
}

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
    /// The layers, in the order in which they were asked for.
    public var layers: [Layer]
    /// Why the source ended before its end, if it did. What came before was sent.
    public var interruption: String?

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
        /// RTP packets.
        public var packetsSent: Int
        /// Bytes of payload.
        public var bytesSent: Int
        /// Bytes of RTP headers.
        public var headerBytesSent: Int
        /// Bits of coded frames a second, over the session.
        public var bitrate: Double
        /// Mean quantizer index, 0 to 127.
        public var meanQP: Double
        /// Key-frame requests that arrived.
        public var pliCount: Int
    }

    /// The receiving side of a layer.
    public struct Received: Codable, Sendable {
        public var packetsReceived: Int
        public var packetsLost: Int
        public var packetsDiscarded: Int
        public var packetsDuplicated: Int
        public var framesReceived: Int
        public var framesDecoded: Int
        public var keyFramesDecoded: Int
        public var framesDropped: Int
        /// Pictures handed to the sink.
        public var framesShown: Int
        /// Pictures shown, of those coded.
        public var shownShare: Double
        /// By W3C's rule: a gap of max(3 mean gaps, mean gap + 150 ms).
        public var freezeCount: Int
        public var totalFreezesDuration: Double
        /// Gaps of more than 500 ms, the rule of call SDKs.
        public var longFreezeCount: Int
        public var totalLongFreezesDuration: Double
        /// Key frames asked for.
        public var pliCount: Int
        /// Mean time from a frame's first packet to its release.
        public var jitterBufferDelay: Double
    }

    /// Likeness to the source. A PSNR is absent where all pictures equal their source.
    public struct Quality: Codable, Sendable {
        /// Pictures compared.
        public var frames: Int
        /// Of the mean squared error over all pictures, in dB.
        public var psnrY: Double?
        public var psnrU: Double?
        public var psnrV: Double?
        /// Mean over the pictures.
        public var ssimY: Double?
    }
}

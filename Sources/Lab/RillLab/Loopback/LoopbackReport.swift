/// The result of a loopback session.
///
/// Counters have the names of W3C webrtc-stats where they exist; times are in milliseconds unless the name says
/// otherwise, bitrates in bits per second.
public struct LoopbackReport: Codable, Sendable {
    /// `virtual` or `live`.
    public var mode: String
    /// Duration of what was sent, in seconds of media.
    public var duration: Double
    /// Frames that the source delivered.
    public var framesCaptured: Int
    /// The network, in the command line's notation.
    public var network: String
    /// The network of the return path; `nil` if it is the same with another seed.
    public var returnNetwork: String?
    /// The layers, in the order of the settings.
    public var layers: [Layer]
    /// Why the source ended early, if it did. Earlier frames were sent.
    public var interruption: String?
    /// What could not be read of the source, if its owner knows that: a truncated file, damaged frames. `nil` if
    /// nothing is missing.
    public var missing: String?

    /// One layer.
    public struct Layer: Codable, Sendable {
        /// The layer's name.
        public var rid: String
        /// Size of its pictures.
        public var resolution: String
        /// The target bitrate.
        public var targetBitrate: Int
        /// The sending side.
        public var sent: Sent
        /// The receiving side.
        public var received: Received
        /// Similarity of the shown pictures to the source; `nil` if nothing was compared.
        public var quality: Quality?
        /// The delay that the receiving side adds to the network's shortest delay; `nil` if nothing was shown.
        public var addedDelay: AddedDelay?
        /// The times from stage to stage, and in total.
        public var latencies: [LatencySummary]
    }

    /// The sending side of a layer.
    public struct Sent: Codable, Sendable {
        /// Frames encoded.
        public var framesEncoded: Int
        /// Frames per second, over the session.
        public var framesPerSecond: Double
        /// Key frames among them.
        public var keyFramesEncoded: Int
        /// Frames replaced by a newer one, or dropped by the rate control.
        public var framesDropped: Int
        /// Frames skipped because they equal the previous one.
        public var framesUnchanged: Int
        /// Size of the last pictures.
        public var resolution: String
        /// What keeps the layer below its settings: `none`, `cpu` or `bandwidth`.
        public var qualityLimitationReason: String
        /// How often adaptation changed its size.
        public var qualityLimitationResolutionChanges: Int
        /// RTP packets.
        public var packetsSent: Int
        /// Payload bytes.
        public var bytesSent: Int
        /// Bytes of RTP headers.
        public var headerBytesSent: Int
        /// Bits of encoded frames per second, over the session.
        public var bitrate: Double
        /// Mean quantizer index: 0 to 127 for VP8, 0 to 255 for VP9.
        public var meanQP: Double
        /// Retransmitted packets among them.
        public var retransmittedPacketsSent: Int
        /// Payload bytes in those.
        public var retransmittedBytesSent: Int
        /// FEC packets among them (ULPFEC).
        public var fecPacketsSent: Int
        /// Payload bytes in those.
        public var fecBytesSent: Int
        /// Key frame requests received.
        public var pliCount: Int
        /// NACKs received, each for any number of packets.
        public var nackCount: Int
        /// NACKed packets that were not retransmitted, for any reason.
        public var refusedRetransmissions: Int
        /// The round-trip time to the receiver at the end; `nil` if it was never measured.
        public var roundTripTime: Double?
        /// The sum of all measurements of it.
        public var totalRoundTripTime: Double
        /// The number of measurements.
        public var roundTripTimeMeasurements: Int
    }

    /// The receiving side of a layer.
    public struct Received: Codable, Sendable {
        /// RTP packets received, including duplicates and late ones.
        public var packetsReceived: Int
        /// Packets expected minus packets received (RFC 3550 A.3); negative if there were more duplicates than
        /// losses.
        public var packetsLost: Int
        /// Packets that arrived after their frame was played out or dropped.
        public var packetsDiscarded: Int
        /// Duplicate packets; W3C has no name for them.
        public var packetsDuplicated: Int
        /// Frames that became complete.
        public var framesReceived: Int
        /// Frames decoded, including those that were too late to be shown.
        public var framesDecoded: Int
        /// Key frames among them.
        public var keyFramesDecoded: Int
        /// Frames of which a packet arrived and that were not shown: dropped, or only decoded.
        public var framesDropped: Int
        /// Pictures handed to the sink.
        public var framesShown: Int
        /// Pictures shown as a fraction of the frames encoded.
        public var shownShare: Double
        /// Freezes by W3C's rule: a gap of max(3 mean gaps, mean gap + 150 ms).
        public var freezeCount: Int
        /// Their total duration, in milliseconds.
        public var totalFreezesDuration: Double
        /// Gaps of more than 500 ms, the rule of call SDKs.
        public var longFreezeCount: Int
        /// Their total duration, in milliseconds.
        public var totalLongFreezesDuration: Double
        /// Gaps of more than 5 s.
        public var pauseCount: Int
        /// Their total duration, in milliseconds.
        public var totalPausesDuration: Double
        /// The time from picture to picture, summed, in milliseconds.
        public var totalInterFrameDelay: Double
        /// The squares of those times, summed, in seconds squared.
        public var totalSquaredInterFrameDelay: Double
        /// Key frame requests sent.
        public var pliCount: Int
        /// NACKs sent, each for one or more packets.
        public var nackCount: Int
        /// Packets received on the retransmission stream.
        public var retransmittedPacketsReceived: Int
        /// Their payload bytes.
        public var retransmittedBytesReceived: Int
        /// FEC packets received.
        public var fecPacketsReceived: Int
        /// FEC packets that were useless.
        public var fecPacketsDiscarded: Int
        /// Packets recovered from FEC packets; W3C has no name for them.
        public var packetsRecovered: Int
        /// Frames completed by a packet that was retransmitted or recovered by FEC.
        public var framesRepaired: Int
        /// Frames among them that were released after their time.
        public var framesRepairedLate: Int
        /// Frames released so late that they were only decoded.
        public var framesDecodedOnly: Int
        /// Complete frames with more than one packet.
        public var framesAssembledFromMultiplePackets: Int
        /// The time from such a frame's first packet to its last, summed, in milliseconds.
        public var totalAssemblyTime: Double
        /// Interarrival jitter at the end (RFC 3550 §6.4.1), in milliseconds.
        public var jitter: Double
        /// By how much the receiver's clock runs faster than the sender's, as a fraction: 0.0001 is 100 ppm.
        public var clockSkew: Double
        /// The round-trip time to the sender, as the receiver measured it; `nil` if it never did.
        public var roundTripTime: Double?
        /// The sum of all measurements of it.
        public var totalRoundTripTime: Double
        /// The number of measurements.
        public var roundTripTimeMeasurements: Int
        /// Frames that left the jitter buffer.
        public var jitterBufferEmittedCount: Int
        /// The mean target delay of the jitter buffer.
        public var jitterBufferTargetDelay: Double
        /// The mean time from a frame's first packet to its release.
        public var jitterBufferDelay: Double
    }

    /// Similarity to the source.
    ///
    /// A PSNR is `nil` if all pictures equal their source.
    public struct Quality: Codable, Sendable {
        /// Pictures compared.
        public var frames: Int
        /// PSNR of the luma plane, from the mean squared error over all pictures, in dB.
        public var psnrY: Double?
        /// The same for the blue-difference plane.
        public var psnrU: Double?
        /// The same for the red-difference plane.
        public var psnrV: Double?
        /// SSIM of the luma plane, the mean over the pictures.
        public var ssimY: Double?
    }
}

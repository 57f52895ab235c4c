public import Rill
import RillCodec
import RillCore
import RillImage
public import RillReceive
public import RillSend

/// The result of a loopback session.
///
/// Counters have the names of W3C webrtc-stats where they exist; times are in milliseconds unless the name says
/// otherwise, bitrates in bits per second.
public struct LoopbackReport: Encodable, Sendable {
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
    public struct Layer: Encodable, Sendable {
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

    /// The sending side of a layer: figures of the layer, and under their own names those of its stream.
    @dynamicMemberLookup
    public struct Sent: Encodable, Sendable {
        /// What they are made from.
        public let statistics: SendStatistics
        /// Frames replaced by a newer one, or dropped by the rate control.
        public let framesDropped: Int
        /// One over the duration in seconds; 0 for a single frame, which has no duration, and so no rate.
        fileprivate let perSecond: Double

        /// Frames encoded.
        public var framesEncoded: Int { statistics.encoder.framesEncoded }
        /// Frames per second, over the session.
        public var framesPerSecond: Double { Double(framesEncoded) * perSecond }
        /// Key frames among them.
        public var keyFramesEncoded: Int { statistics.encoder.keyFramesEncoded }
        /// Size of the last pictures.
        public var resolution: String { statistics.resolution.description }
        /// What keeps the layer below its settings: `none`, `cpu` or `bandwidth`.
        public var qualityLimitationReason: String { statistics.qualityLimitationReason.rawValue }
        /// How often adaptation changed its size.
        public var qualityLimitationResolutionChanges: Int { statistics.qualityLimitationResolutionChanges }
        /// Bits of encoded frames per second, over the session.
        public var bitrate: Double { Double(statistics.encoder.bytesEncoded) * 8 * perSecond }
        /// Mean quantizer index: 0 to 127 for VP8, 0 to 255 for VP9.
        public var meanQP: Double { framesEncoded == 0 ? 0 : Double(statistics.encoder.qpSum) / Double(framesEncoded) }

        /// A figure of the layer's stream.
        public subscript<Value>(dynamicMember figure: KeyPath<RTPStreamStatistics, Value>) -> Value {
            statistics.stream[keyPath: figure]
        }

        /// Encodes the figures of a report, by name.
        public func encode(to encoder: any Encoder) throws {
            let stream = statistics.stream
            let figures: Figures = [
                "framesEncoded": framesEncoded, "framesPerSecond": framesPerSecond,
                "keyFramesEncoded": keyFramesEncoded, "framesDropped": framesDropped,
                "framesUnchanged": statistics.framesUnchanged, "resolution": resolution,
                "qualityLimitationReason": qualityLimitationReason,
                "qualityLimitationResolutionChanges": qualityLimitationResolutionChanges,
                "packetsSent": stream.packetsSent, "bytesSent": stream.bytesSent,
                "headerBytesSent": stream.headerBytesSent, "bitrate": bitrate, "meanQP": meanQP,
                "retransmittedPacketsSent": stream.retransmittedPacketsSent,
                "retransmittedBytesSent": stream.retransmittedBytesSent, "fecPacketsSent": stream.fecPacketsSent,
                "fecBytesSent": stream.fecBytesSent, "pliCount": stream.pliCount, "nackCount": stream.nackCount,
                // NACKed packets that were not retransmitted, for any reason.
                "refusedRetransmissions": stream.refusedRetransmissions.total,
                "roundTripTime": stream.roundTripTime?.milliseconds,
                "totalRoundTripTime": stream.totalRoundTripTime.milliseconds,
                "roundTripTimeMeasurements": stream.roundTripTimeMeasurements,
            ]
            try figures.encode(to: encoder)
        }
    }

    /// The receiving side of a layer: figures of the layer, and under their own names those of its stream and its
    /// repair.
    @dynamicMemberLookup
    public struct Received: Encodable, Sendable {
        /// What they are made from.
        public let statistics: ReceiveStatistics
        /// Pictures shown as a fraction of the frames encoded.
        public let shownShare: Double

        /// Frames decoded, including those that were too late to be shown.
        public var framesDecoded: Int { statistics.decoder.framesDecoded }
        /// Frames of which a packet arrived and that were not shown: dropped, or only decoded.
        public var framesDropped: Int {
            let decoder = statistics.decoder
            return statistics.stream.framesDropped + decoder.framesCorrupted + decoder.framesSkipped
                + decoder.picturesWithoutBuffer
        }
        /// Pictures handed to the sink.
        public var framesShown: Int { statistics.framesShown }
        /// Freezes by W3C's rule: a gap of max(3 mean gaps, mean gap + 150 ms).
        public var freezeCount: Int { statistics.freezes.freezeCount }
        /// Gaps of more than 500 ms, the rule of call SDKs.
        public var longFreezeCount: Int { statistics.freezes.longGapCount }
        /// The mean time from a frame's first packet to its release.
        public var jitterBufferDelay: Double { mean(statistics.stream.jitterBufferDelay) }

        /// The newest round-trip time of the session; `nil` before the first measurement.
        public var roundTripTime: MediaDuration? { statistics.roundTrip.roundTripTime }

        /// The mean over the frames that left the jitter buffer.
        private func mean(_ sum: MediaDuration) -> Double {
            let count = statistics.stream.jitterBufferEmittedCount
            return count == 0 ? 0 : sum.milliseconds / Double(count)
        }

        /// A figure of the layer's stream.
        public subscript<Value>(dynamicMember figure: KeyPath<InboundStatistics, Value>) -> Value {
            statistics.stream[keyPath: figure]
        }

        /// A figure of its repair.
        public subscript<Value>(dynamicMember figure: KeyPath<RepairStatistics, Value>) -> Value {
            statistics.repair[keyPath: figure]
        }

        /// Encodes the figures of a report, by name; times are in milliseconds.
        public func encode(to encoder: any Encoder) throws {
            let (stream, repair, freezes) = (statistics.stream, statistics.repair, statistics.freezes)
            let roundTrip = statistics.roundTrip
            let figures: Figures = [
                "packetsReceived": stream.packetsReceived, "packetsLost": stream.packetsLost,
                "packetsDiscarded": stream.packetsDiscarded, "packetsDuplicated": stream.packetsDuplicated,
                "framesReceived": stream.framesReceived, "framesDecoded": framesDecoded,
                "keyFramesDecoded": statistics.decoder.keyFramesDecoded, "framesDropped": framesDropped,
                "framesShown": framesShown, "shownShare": shownShare, "freezeCount": freezeCount,
                "totalFreezesDuration": freezes.totalFreezesDuration.milliseconds,
                "longFreezeCount": longFreezeCount,
                "totalLongFreezesDuration": freezes.totalLongGapsDuration.milliseconds,
                "pauseCount": freezes.pauseCount, "totalPausesDuration": freezes.totalPausesDuration.milliseconds,
                "totalInterFrameDelay": freezes.totalInterFrameDelay.milliseconds,
                // In seconds squared.
                "totalSquaredInterFrameDelay": freezes.totalSquaredInterFrameDelay,
                "pliCount": stream.pliCount, "nackCount": stream.nackCount,
                "retransmittedPacketsReceived": repair.retransmittedPacketsReceived,
                "retransmittedBytesReceived": repair.retransmittedBytesReceived,
                "fecPacketsReceived": repair.fecPacketsReceived, "fecPacketsDiscarded": repair.fecPacketsDiscarded,
                "packetsRecovered": repair.packetsRecovered, "framesRepaired": stream.framesRepaired,
                "framesRepairedLate": stream.framesRepairedLate, "framesDecodedOnly": stream.framesDecodedOnly,
                "framesAssembledFromMultiplePackets": stream.framesAssembledFromMultiplePackets,
                "totalAssemblyTime": stream.totalAssemblyTime.milliseconds, "jitter": stream.jitter.milliseconds,
                "clockSkew": stream.clockSkew, "roundTripTime": roundTrip.roundTripTime?.milliseconds,
                "totalRoundTripTime": roundTrip.totalRoundTripTime.milliseconds,
                "roundTripTimeMeasurements": roundTrip.roundTripTimeMeasurements,
                "jitterBufferEmittedCount": stream.jitterBufferEmittedCount,
                "jitterBufferTargetDelay": mean(stream.jitterBufferTargetDelay),
                "jitterBufferDelay": jitterBufferDelay,
            ]
            try figures.encode(to: encoder)
        }
    }

    /// Similarity to the source.
    ///
    /// A PSNR is `nil` if all pictures equal their source.
    public struct Quality: Encodable, Sendable {
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

extension LoopbackReport.Layer {
    init(
        _ settings: LayerSettings, sent: SendStatistics, framesDropped: Int, received: ReceiveStatistics,
        meter: LoopbackMeter, duration: MediaDuration
    ) {
        rid = settings.rid.description
        resolution = settings.resolution.description
        targetBitrate = settings.bitrate.bitsPerSecond
        let encoder = sent.encoder
        self.sent = LoopbackReport.Sent(
            statistics: sent, framesDropped: framesDropped + encoder.framesDropped,
            perSecond: duration > .zero ? 1 / duration.seconds : 0)
        self.received = LoopbackReport.Received(
            statistics: received,
            shownShare: encoder.framesEncoded == 0 ? 0 : Double(received.framesShown) / Double(encoder.framesEncoded))
        quality = meter.quality.flatMap(LoopbackReport.Quality.init)
        addedDelay = meter.latencies.addedDelay
        latencies = meter.latencies.summary
    }
}

extension LoopbackReport.Quality {
    /// `nil` if nothing was compared.
    init?(_ meter: QualityMeter) {
        guard let psnr = meter.psnr, let ssim = meter.ssim else { return nil }
        // JSON has no infinity: the PSNR of equal pictures is left out.
        func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }
        frames = meter.count
        (psnrY, psnrU, psnrV) = (finite(psnr.y), finite(psnr.u), finite(psnr.v))
        ssimY = finite(ssim.y)
    }
}

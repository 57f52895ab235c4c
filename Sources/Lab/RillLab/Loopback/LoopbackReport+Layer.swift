import Rill
import RillCodec
import RillCore
import RillImage

extension LoopbackReport.Layer {
    init(
        _ settings: LayerSettings, sent: SendStatistics, framesDropped: Int, received: ReceiveStatistics,
        meter: LoopbackMeter, duration: MediaDuration
    ) {
        self.rid = settings.rid.description
        self.resolution = settings.resolution.description
        self.targetBitrate = settings.bitrate.bitsPerSecond
        self.sent = LoopbackReport.Sent(sent, framesDropped: framesDropped, duration: duration)
        self.received = LoopbackReport.Received(received, framesEncoded: sent.encoder.framesEncoded)
        self.quality = meter.quality.flatMap(LoopbackReport.Quality.init)
        self.addedDelay = meter.latencies.addedDelay
        self.latencies = meter.latencies.summary
    }
}

extension LoopbackReport.Sent {
    init(_ statistics: SendStatistics, framesDropped: Int, duration: MediaDuration) {
        let encoder = statistics.encoder
        // A single frame has no duration, and so no rate.
        let perSecond = duration > .zero ? 1 / duration.seconds : 0
        self.framesEncoded = encoder.framesEncoded
        self.framesPerSecond = Double(encoder.framesEncoded) * perSecond
        self.keyFramesEncoded = encoder.keyFramesEncoded
        self.framesDropped = framesDropped + encoder.framesDropped
        self.framesUnchanged = statistics.framesUnchanged
        self.resolution = statistics.resolution.description
        self.qualityLimitationReason = statistics.qualityLimitationReason.rawValue
        self.qualityLimitationResolutionChanges = statistics.qualityLimitationResolutionChanges
        self.packetsSent = statistics.stream.packetsSent
        self.bytesSent = statistics.stream.bytesSent
        self.headerBytesSent = statistics.stream.headerBytesSent
        self.bitrate = Double(encoder.bytesEncoded) * 8 * perSecond
        self.meanQP = encoder.framesEncoded == 0 ? 0 : Double(encoder.qpSum) / Double(encoder.framesEncoded)
        let stream = statistics.stream
        self.retransmittedPacketsSent = stream.retransmittedPacketsSent
        self.retransmittedBytesSent = stream.retransmittedBytesSent
        self.fecPacketsSent = stream.fecPacketsSent
        self.fecBytesSent = stream.fecBytesSent
        self.pliCount = stream.pliCount
        self.nackCount = stream.nackCount
        self.refusedRetransmissions = stream.refusedRetransmissions.total
        self.roundTripTime = stream.roundTripTime?.milliseconds
        self.totalRoundTripTime = stream.totalRoundTripTime.milliseconds
        self.roundTripTimeMeasurements = stream.roundTripTimeMeasurements
    }
}

extension LoopbackReport.Received {
    init(_ statistics: ReceiveStatistics, framesEncoded: Int) {
        let stream = statistics.stream
        let freezes = statistics.freezes
        self.packetsReceived = stream.packetsReceived
        self.packetsLost = stream.packetsLost
        self.packetsDiscarded = stream.packetsDiscarded
        self.packetsDuplicated = stream.packetsDuplicated
        self.framesReceived = stream.framesReceived
        self.framesDecoded = statistics.decoder.framesDecoded
        self.keyFramesDecoded = statistics.decoder.keyFramesDecoded
        let decoder = statistics.decoder
        self.framesDropped =
            stream.framesDropped + decoder.framesCorrupted + decoder.framesSkipped + decoder.picturesWithoutBuffer
        self.framesShown = statistics.framesShown
        self.shownShare = framesEncoded == 0 ? 0 : Double(statistics.framesShown) / Double(framesEncoded)
        self.freezeCount = freezes.freezeCount
        self.totalFreezesDuration = freezes.totalFreezesDuration.milliseconds
        self.longFreezeCount = freezes.longGapCount
        self.totalLongFreezesDuration = freezes.totalLongGapsDuration.milliseconds
        self.pauseCount = freezes.pauseCount
        self.totalPausesDuration = freezes.totalPausesDuration.milliseconds
        self.totalInterFrameDelay = freezes.totalInterFrameDelay.milliseconds
        self.totalSquaredInterFrameDelay = freezes.totalSquaredInterFrameDelay
        self.pliCount = stream.pliCount
        let repair = statistics.repair
        self.nackCount = stream.nackCount
        self.retransmittedPacketsReceived = repair.retransmittedPacketsReceived
        self.retransmittedBytesReceived = repair.retransmittedBytesReceived
        self.fecPacketsReceived = repair.fecPacketsReceived
        self.fecPacketsDiscarded = repair.fecPacketsDiscarded
        self.packetsRecovered = repair.packetsRecovered
        self.framesRepaired = stream.framesRepaired
        self.framesRepairedLate = stream.framesRepairedLate
        self.framesDecodedOnly = stream.framesDecodedOnly
        self.framesAssembledFromMultiplePackets = stream.framesAssembledFromMultiplePackets
        self.totalAssemblyTime = stream.totalAssemblyTime.milliseconds
        self.jitter = stream.jitter.milliseconds
        self.clockSkew = stream.clockSkew
        self.roundTripTime = statistics.roundTrip.roundTripTime?.milliseconds
        self.totalRoundTripTime = statistics.roundTrip.totalRoundTripTime.milliseconds
        self.roundTripTimeMeasurements = statistics.roundTrip.roundTripTimeMeasurements
        self.jitterBufferEmittedCount = stream.jitterBufferEmittedCount
        func mean(_ sum: MediaDuration) -> Double {
            stream.jitterBufferEmittedCount == 0 ? 0 : sum.milliseconds / Double(stream.jitterBufferEmittedCount)
        }
        self.jitterBufferTargetDelay = mean(stream.jitterBufferTargetDelay)
        self.jitterBufferDelay = mean(stream.jitterBufferDelay)
    }
}

extension LoopbackReport.Quality {
    /// `nil` if nothing was compared.
    init?(_ meter: QualityMeter) {
        guard let psnr = meter.psnr, let ssim = meter.ssim else { return nil }
        // JSON has no infinity: the PSNR of equal pictures is left out.
        func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }
        self.frames = meter.count
        self.psnrY = finite(psnr.y)
        self.psnrU = finite(psnr.u)
        self.psnrV = finite(psnr.v)
        self.ssimY = finite(ssim.y)
    }
}

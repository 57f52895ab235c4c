import Rill
import RillReceive

/// The result of one layer in one call. Times are in tenths of a millisecond, which keeps the output short.
struct LayerResult: Codable {
    var framesSent: Int
    var framesShown: Int
    /// For each shown frame: the time from sending to showing, minus the link's minimum delay.
    var delays: [Int]
    /// For each frame without a lost packet: the delay of its last packet, minus the link's minimum delay.
    var jitters: [Int]
    var freezes: Int
    var freezeTime: Int
    var longGaps: Int
    var longestGap: Int
    /// Gaps longer than two frame intervals and 100 ms.
    var gaps: [Gap]
    /// The mean squared error of luma, summed over the shown frames; `nil` if it was not measured.
    var squaredError: Double?
    var keyFrameRequests = 0
    var packetsLost = 0
    var packetsRetransmitted = 0
    var nacks = 0
    /// The time after the disturbance until the median delay stays within 5 ms of its earlier value; -1 for never.
    var recovered: Int?

    /// A gap between shown frames.
    struct Gap: Codable {
        var length: Int
        /// The highest loss count of a packet of the frames in the gap, including its last frame.
        var losses: Int
    }
}

/// When the network became worse, and when it recovered.
struct Disturbance: Codable {
    var begin: Double
    var end: Double
}

/// The sent and shown frames of any receiver.
struct ShownFrames {
    struct Frame {
        var sentAt: MediaTime
        /// The highest loss count of its packets.
        var losses = 0
    }

    var frames: [Frame] = []
    /// In showing order: the frame's index, and when it was shown.
    var shown: [(frame: Int, at: MediaTime)] = []
    var interval: MediaDuration
    var smallestDelay: MediaDuration

    /// Everything that follows from the times at which frames were shown.
    func result(disturbed disturbance: Disturbance? = nil) -> LayerResult {
        var meter = FreezeMeter()
        var gaps: [LayerResult.Gap] = []
        var delays: [Int] = []
        var longest = MediaDuration.zero
        for (place, (frame, time)) in shown.enumerated() {
            meter.shown(at: time)
            delays.append(tenths(time - frames[frame].sentAt - smallestDelay))
            guard place > 0 else { continue }
            let (before, begin) = shown[place - 1]
            // The loss of one of the last two frames causes no gap: no later frame is shown before the call ends.
            guard before < frame, frame < frames.count - 2 else { continue }
            longest = max(longest, time - begin)
            guard time - begin > interval * 2 + .milliseconds(100) else { continue }
            let losses = frames[before + 1...frame].map(\.losses).max() ?? 0
            gaps.append(.init(length: tenths(time - begin), losses: losses))
        }
        let freezes = meter.statistics
        return LayerResult(
            framesSent: frames.count, framesShown: shown.count, delays: delays, jitters: [],
            freezes: freezes.freezeCount, freezeTime: tenths(freezes.totalFreezesDuration),
            longGaps: freezes.longGapCount, longestGap: tenths(longest), gaps: gaps,
            recovered: disturbance.map { recovered(after: $0, delays) })
    }

    /// The medians are over two seconds, every half second.
    private func recovered(after disturbance: Disturbance, _ delays: [Int]) -> Int {
        func median(from begin: Double, to end: Double) -> Int? {
            let part = shown.indices.filter { (begin..<end).contains(shown[$0].at.seconds) }.map { delays[$0] }
            return part.isEmpty ? nil : part.sorted()[part.count / 2]
        }
        guard let last = shown.last?.at.seconds, let earlier = median(from: 5, to: disturbance.begin) else { return -1 }
        var found: Double?
        for begin in stride(from: disturbance.end, to: last - 2, by: 0.5) {
            let isNear = median(from: begin, to: begin + 2).map { abs($0 - earlier) <= 50 } ?? false
            found = isNear ? found ?? begin : nil
        }
        return found.map { Int(($0 - disturbance.end) * 10_000) } ?? -1
    }
}

/// A duration in tenths of a millisecond, rounded.
func tenths(_ duration: MediaDuration) -> Int {
    Int((duration.milliseconds * 10).rounded())
}

extension CallLog {
    /// The result of layer `index`.
    ///
    /// - Parameter errors: the mean squared error of each frame.
    func result(layer index: Int, interval: MediaDuration, errors: [Double]?, disturbed: Disturbance?) -> LayerResult {
        let layer = layers[index]
        let (smallest, frames) = (path.smallestDelay, shownFrames(layer: index, interval: interval))
        var result = frames.result(disturbed: disturbed)
        for frame in layer.frames {
            let packets = layer.packets[frame.firstPacket..<frame.firstPacket + frame.packetCount]
            guard packets.allSatisfy({ $0.arrival != nil }) else { continue }
            guard let last = packets.compactMap(\.arrival).max() else { continue }
            result.jitters.append(tenths(last - frame.sentAt - smallest))
        }
        if let errors { result.squaredError = layer.shown.reduce(0) { $0 + errors[$1.frame] } }
        result.keyFrameRequests = layer.keyFrameRequests
        result.packetsLost = layer.packets.count { $0.arrival == nil }
        result.packetsRetransmitted = layer.retransmitted
        return result
    }

    private func shownFrames(layer index: Int, interval: MediaDuration) -> ShownFrames {
        let layer = layers[index]
        var frames = ShownFrames(interval: interval, smallestDelay: path.smallestDelay)
        frames.frames = layer.frames.map { frame in
            let packets = layer.packets[frame.firstPacket..<frame.firstPacket + frame.packetCount]
            return ShownFrames.Frame(sentAt: frame.sentAt, losses: packets.map(\.losses).max() ?? 0)
        }
        frames.shown = layer.shown
        return frames
    }
}

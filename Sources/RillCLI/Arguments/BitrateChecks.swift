import ArgumentParser
import Rill
import RillCore
import RillPages

extension LayerSettings {
    /// Refuses a bitrate that was asked for and that no pictures of the layer's size can be coded at.
    ///
    /// - Parameters:
    ///   - option: what it was asked for with.
    ///   - sourceRate: frames a second of what is to be coded.
    /// - Throws: `ValidationError`, which says what a plain number means.
    func requireReachable(_ option: String, at sourceRate: FrameRate) throws {
        let (rate, least) = (FrameRate.slower(frameRate, sourceRate), minimumBitrate(at: sourceRate))
        // With constant quality it is not looked at.
        guard encoder.quality == nil, bitrate < least else { return }
        let hint = bitrate.bitsPerSecond < 100_000 ? "; did you mean \(bitrate.bitsPerSecond)k?" : ""
        throw ValidationError(
            "\(option) \(bitrate) is \(Decimal.text(bitrate.kilobits, decimals: 1)) kbit/s, and \(encoder.codec.rawValue) takes "
                + "\(Decimal.text(least.kilobits, decimals: 1)) for pictures of \(resolution) that stand still, \(rate) a second"
                + hint)
    }
}

/// Tells where a coded stream is far from its target.
enum BitrateRemark {
    /// How much more than its target a stream may take before that is said, besides what the rate control's buffer holds.
    private static let tolerance = 1.1
    /// Of a target that was asked for, what is so little that it is said: the pictures cannot take more.
    private static let leastShare = 0.5

    /// The remark; `nil` where the stream is as it should be.
    ///
    /// - Parameters:
    ///   - name: what the stream is called.
    ///   - bytes: of coded frames, in all.
    ///   - seconds: how long they last.
    ///   - parts: how often it began anew with a key frame, for which the rate control's buffer is there.
    ///   - isAskedFor: whether somebody named the target, who wants to know too that it was not used up.
    static func text(
        of name: String, _ layer: LayerSettings, bytes: Int, seconds: Double, parts: Int = 1, isAskedFor: Bool
    ) -> String? {
        guard layer.encoder.quality == nil, seconds > 0 else { return nil }
        let (bits, target) = (Double(bytes) * 8, Double(layer.bitrate.bitsPerSecond))
        let buffered = layer.encoder.bufferSize.seconds * Double(parts)
        let figures =
            "\(name): \(Decimal.text(bits / seconds / 1000, decimals: 1)) kbit/s, and the target was "
            + Decimal.text(target / 1000, decimals: 1)
        if bits > target * (tolerance * seconds + buffered) {
            return figures + ": these pictures take more; a smaller size, fewer frames or a greater bitrate helps"
        }
        if isAskedFor, bits < target * leastShare * seconds { return figures + ": these pictures take no more" }
        return nil
    }
}

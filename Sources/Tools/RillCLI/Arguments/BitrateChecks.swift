import ArgumentParser
import Rill
import RillCore

extension LayerSettings {
    /// Refuses a requested bitrate that is too low to encode pictures of the layer's size.
    ///
    /// - Parameters:
    ///   - option: the name of the option that requested the bitrate.
    ///   - sourceRate: the frame rate of the source.
    /// - Throws: `ValidationError`; for a number without a unit it suggests `k`.
    func requireReachable(_ option: String, at sourceRate: FrameRate) throws {
        let (rate, least) = (FrameRate.slower(frameRate, sourceRate), minimumBitrate(at: sourceRate))
        // Constant quality ignores the bitrate.
        guard encoder.quality == nil, bitrate < least else { return }
        let hint = bitrate.bitsPerSecond < 100_000 ? "; did you mean \(bitrate.bitsPerSecond)k?" : ""
        throw ValidationError(
            "\(option) \(bitrate) is \(Decimal.text(bitrate.kilobits, decimals: 1)) kbit/s, but "
                + "\(encoder.codec.rawValue) needs "
                + "\(Decimal.text(least.kilobits, decimals: 1)) even for a still picture of \(resolution) at \(rate) fps"
                + hint)
    }
}

/// Remarks on encoded streams that miss their target bitrate.
enum BitrateRemark {
    /// The largest ratio of bitrate to target without a remark, besides the content of the rate control's buffer.
    private static let tolerance = 1.1
    /// The smallest ratio of bitrate to a requested target without a remark.
    private static let leastShare = 0.5

    /// The remark; `nil` if the bitrate is close to its target.
    ///
    /// - Parameters:
    ///   - name: the name of the stream in the remark.
    ///   - layer: the settings of the stream.
    ///   - bytes: the bytes of all encoded frames.
    ///   - seconds: the duration of the stream.
    ///   - parts: the number of starts with a key frame; for each, the rate control's buffer is allowed.
    ///   - isRequested: whether the user gave the target. Only then a bitrate far below it is remarked.
    static func text(
        of name: String, _ layer: LayerSettings, bytes: Int, seconds: Double, parts: Int = 1, isRequested: Bool
    ) -> String? {
        guard layer.encoder.quality == nil, seconds > 0 else { return nil }
        let (bits, target) = (Double(bytes) * 8, Double(layer.bitrate.bitsPerSecond))
        let buffered = layer.encoder.bufferSize.seconds * Double(parts)
        let figures =
            "\(name): \(Decimal.text(bits / seconds / 1000, decimals: 1)) kbit/s, target "
            + Decimal.text(target / 1000, decimals: 1)
        if bits > target * (tolerance * seconds + buffered) {
            return figures + ": these pictures need more; use a smaller size, fewer frames or a higher bitrate"
        }
        if isRequested, bits < target * leastShare * seconds { return figures + ": these pictures need no more" }
        return nil
    }
}

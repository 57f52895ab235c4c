public import RillCodec
public import RillCore
import RillImage

extension LayerSettings {
    /// Returns settings for thumbnails of a clip of that size, one per `interval`: at most 320 pixels wide and high,
    /// in the clip's shape.
    public static func thumbnails(of resolution: Resolution, every interval: MediaDuration) -> LayerSettings {
        let longest = max(resolution.width, resolution.height)
        func side(_ length: Int) -> Int { longest <= 320 ? length : max(2, length * 320 / longest / 2 * 2) }
        var layer = LayerSettings.high(
            Resolution(width: side(resolution.width), height: side(resolution.height)), bitrate: .kilobits(100))
        let milliseconds = max(1, min(Int64(Int32.max), interval.nanoseconds / 1_000_000))
        (layer.rid, layer.frameRate, layer.aspect) = ("thumbnails", FrameRate(1000, per: Int(milliseconds)), .stretch)
        return layer
    }
}

extension LayerSettings {
    /// The names of the steps of a ladder between the full size and the low layer: half and a quarter of the size.
    public static let ladderSteps: [StreamLayer.RID] = ["half", "quarter"]
}

extension [LayerSettings] {
    /// Returns all steps of a simulcast as layers for files: the full size, half and a quarter of it, and the low
    /// layer.
    ///
    /// Sizes have even sides; steps that are not larger than the low layer are left out. Bitrates are in proportion
    /// to those of ``/RillCodec/RillCore/Bitrate/suggested(for:codec:)``.
    ///
    /// - Parameters:
    ///   - full: the layer at full size.
    ///   - low: the low layer.
    public static func ladder(_ full: LayerSettings, low: LayerSettings) -> [LayerSettings] {
        let codec = full.encoder.codec
        let suggested = Bitrate.suggested(for: full.resolution, codec: codec).kilobits
        var layers = [full]
        for (rid, divisor) in zip(LayerSettings.ladderSteps, [2, 4]) {
            let size = (full.resolution.width / divisor / 2 * 2, full.resolution.height / divisor / 2 * 2)
            guard size.0 * size.1 > low.resolution.pixelCount else { break }
            var layer = full
            layer.rid = rid
            layer.resolution = Resolution(width: size.0, height: size.1)
            let share = Bitrate.suggested(for: layer.resolution, codec: codec).kilobits / suggested
            layer.bitrate = .kilobits(Swift.max(1, Int((full.bitrate.kilobits * share).rounded())))
            layers.append(layer)
        }
        return layers + [low]
    }
}

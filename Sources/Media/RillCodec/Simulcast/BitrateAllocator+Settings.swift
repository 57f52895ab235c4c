import RillCore

extension BitrateAllocator.Layer {
    /// Creates the bitrates of a layer from its settings: at least a quarter of its bitrate, at most all of it.
    public init(_ settings: LayerSettings) {
        let quarter = Bitrate(bitsPerSecond: max(1, settings.bitrate.bitsPerSecond / 4))
        self.init(settings.rid, minimum: quarter, target: settings.bitrate, maximum: settings.bitrate)
    }
}

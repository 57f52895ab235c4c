import RillCore

extension BitrateAllocator.Layer {
    /// What a layer of those settings wants: a quarter of its bitrate at the least, and at the most all of it.
    public init(_ settings: LayerSettings) {
        let quarter = Bitrate(bitsPerSecond: max(1, settings.bitrate.bitsPerSecond / 4))
        self.init(settings.rid, minimum: quarter, target: settings.bitrate, maximum: settings.bitrate)
    }
}

public import RillCore

/// One stream of a simulcast: what it is called, how large, how fast and how many bits.
///
///     let layers = [LayerSettings.high(.hd720, bitrate: .kilobits(1500)), .low]
public struct LayerSettings: Sendable, Equatable {
    /// The name of the stream.
    public var rid: StreamLayer.RID
    /// Size of the coded pictures. The source is cropped around its middle to this aspect, then scaled.
    public var resolution: Resolution
    /// The most frames a second; a faster source is thinned out by its stamps.
    public var frameRate: FrameRate
    /// Target of the rate control; changeable at run time.
    public var bitrate: Bitrate
    /// How the codec works.
    public var encoder: VPXEncoder.Settings

    /// A stream of any shape; ``high(_:bitrate:)`` and ``low`` are the usual two.
    ///
    /// Nothing is checked here: what the codec does not take, the encoder refuses with ``CodecError/invalidSettings(_:)``.
    public init(
        rid: StreamLayer.RID, resolution: Resolution, frameRate: FrameRate, bitrate: Bitrate,
        encoder: VPXEncoder.Settings = VPXEncoder.Settings()
    ) {
        self.rid = rid
        self.resolution = resolution
        self.frameRate = frameRate
        self.bitrate = bitrate
        self.encoder = encoder
    }

    /// The stream that carries the picture at full size, at up to 30 frames a second.
    public static func high(_ resolution: Resolution, bitrate: Bitrate) -> LayerSettings {
        LayerSettings(rid: .high, resolution: resolution, frameRate: 30, bitrate: bitrate)
    }

    /// The stream for thumbnails and bad networks: 160x120, 5 frames a second, 45 kbit/s.
    public static let low = LayerSettings(rid: .low, resolution: .qqvga, frameRate: 5, bitrate: .kilobits(45))
}

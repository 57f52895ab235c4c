public import RillCore
public import RillImage
public import RillRTP

/// The settings of one stream of a simulcast: name, size, frame rate and bitrate.
///
/// ```swift
/// let layers = [LayerSettings.high(.hd720, bitrate: .kilobits(1500)), .low]
/// ```
public struct LayerSettings: Sendable, Equatable {
    /// The name of the stream. It does not change at run time.
    public var rid: StreamLayer.RID
    /// The size of the coded pictures. The source is brought to its shape as ``aspect`` specifies, then scaled.
    public var resolution: Resolution
    /// The maximum frame rate, up to 240. A faster source is decimated by its timestamps. With ``takesEveryFrame`` it
    /// is not a limit but the typical rate of the source, of any value, for the rate control.
    public var frameRate: FrameRate
    /// Whether every frame of the source is kept at its own time, however close it follows the previous one: for a
    /// file without a requested rate. A layer with a reduced frame rate (``Degradation``) still has a limit.
    public var takesEveryFrame = false
    /// The target bitrate, from ``RillCore/EncoderSettings/minimumBitrate`` to 1 Gbit/s.
    public var bitrate: Bitrate
    /// How a source of another shape is fitted.
    public var aspect = AspectPolicy.crop
    /// Whether frames that are the same as the previous one are skipped, except for one per second. `nil` skips them
    /// for screen content only: with a camera's noise no two frames are the same, and a slow layer should keep its
    /// rate.
    public var skipsUnchangedFrames: Bool?
    /// The encoder's settings. The codec does not change at run time.
    ///
    /// A custom encoder (``VideoEncoderFactory``) gets them as they are. Rill itself uses
    /// ``RillCore/EncoderSettings/temporalPattern``, which determines the number of temporal layers, and content and
    /// effort, which determine whether unchanged frames are skipped.
    public var encoder: EncoderSettings
    /// The codec of the stream.
    public var codec: VideoCodec { encoder.codec }

    /// Creates settings of any kind. ``high(_:bitrate:codec:)`` and ``low`` are the usual two.
    ///
    /// The values are not checked here: ``validate()`` does it, and so does every type that takes the settings.
    ///
    /// - Parameters:
    ///   - rid: the name of the stream.
    ///   - resolution: the size of the coded pictures.
    ///   - frameRate: the maximum frame rate.
    ///   - bitrate: the target bitrate.
    ///   - encoder: the encoder's settings.
    public init(
        rid: StreamLayer.RID, resolution: Resolution, frameRate: FrameRate, bitrate: Bitrate,
        encoder: EncoderSettings = EncoderSettings()
    ) {
        self.rid = rid
        self.resolution = resolution
        self.frameRate = frameRate
        self.bitrate = bitrate
        self.encoder = encoder
    }

    /// The maximum frame rate; `nil` for no limit.
    var maximumFrameRate: FrameRate? { takesEveryFrame ? nil : frameRate }

    /// Returns these settings for a file that keeps every frame of its source: without a limit of the frame rate.
    ///
    /// - Parameter typicalRate: the typical rate of the source for the rate control; `nil` keeps ``frameRate``.
    public func takingEveryFrame(of typicalRate: FrameRate?) -> LayerSettings {
        var layer = self
        layer.takesEveryFrame = true
        layer.frameRate = typicalRate ?? frameRate
        return layer
    }

    /// Whether frames that are the same as the previous one are skipped. Never with lookahead: the encoder must get
    /// the same frames as its first pass.
    var isSkippingUnchangedFrames: Bool {
        encoder.effort == .realtime && skipsUnchangedFrames ?? (encoder.content == .screen)
    }

    /// Checks that an encoder can accept these settings.
    ///
    /// - Throws: ``CodecError/invalidSettings(_:)``, whose text has the layer, the setting and its range.
    public func validate() throws(CodecError) {
        do throws(CodecError) {
            guard takesEveryFrame || frameRate.framesPerSecond <= 240 else {
                throw CodecError.invalidSettings("the frame rate goes up to 240, not \(frameRate)")
            }
            guard codec.isBuiltIn else {
                guard (.kilobits(1) ... .megabits(1000)).contains(bitrate) else {
                    throw CodecError.invalidSettings("the bitrate goes from 1k to 1000M, not \(bitrate)")
                }
                return
            }
            try encoder.validate(with: bitrate)
        } catch {
            guard case .invalidSettings(let detail) = error else { throw error }
            throw .invalidSettings("layer \(rid): \(detail)")
        }
    }
}

// MARK: - Presets

extension LayerSettings {
    /// Returns the stream of the picture at full size, at up to 30 frames per second, without coding again what stands
    /// still (``/RillCore/EncoderSettings/skipsStillBlocks``).
    public static func high(
        _ resolution: Resolution, bitrate: Bitrate, codec: VideoCodec = .vp8
    ) -> LayerSettings {
        LayerSettings(
            rid: .high, resolution: resolution, frameRate: 30, bitrate: bitrate, encoder: .layer(codec))
    }

    /// The stream for thumbnails and poor networks: 160x120, 5 frames per second, 45 kbit/s, VP8. It leaves out what
    /// stands still, too.
    public static let low = low(.vp8)

    /// Returns the stream for thumbnails and poor networks in the given codec.
    ///
    /// Its key frames are limited to 175 % of an average frame. At five frames per second libvpx's own limits do not
    /// suffice. With a key frame every second, VP8 spends up to half of the bits on it and starves the frames in
    /// between, and VP9 does not recover the excess. The rate control starts with a full buffer; otherwise the first
    /// picture would be five decibels worse than necessary.
    public static func low(_ codec: VideoCodec) -> LayerSettings {
        var low = LayerSettings(
            rid: .low, resolution: .qqvga, frameRate: 5, bitrate: .kilobits(45), encoder: .layer(codec))
        low.encoder.maximumKeyFramePercentage = 175
        low.encoder.initialBufferLevel = low.encoder.bufferSize
        return low
    }
}

extension EncoderSettings {
    /// The settings of a layer, which skips still blocks.
    fileprivate static func layer(_ codec: VideoCodec) -> EncoderSettings {
        var settings = EncoderSettings(codec)
        settings.skipsStillBlocks = true
        return settings
    }
}

extension [LayerSettings] {
    /// Returns suitable layers for a source of that size, from the largest to the smallest, at the bitrates of
    /// ``RillCore/Bitrate/suggested(for:codec:)``.
    ///
    /// - from 960x540 on: the full size (`high`), half of it at up to 20 frames per second (`medium`), and
    ///   ``LayerSettings/low``;
    /// - from 320x240 on: the full size and ``LayerSettings/low``;
    /// - below: the full size only.
    ///
    /// ```swift
    /// let pipeline = try SendPipeline(SendSettings(layers: .standard(for: .hd720), seed: seed))
    /// ```
    public static func standard(for resolution: Resolution, codec: VideoCodec = .vp8) -> [LayerSettings] {
        let high = LayerSettings.high(resolution, bitrate: .suggested(for: resolution, codec: codec), codec: codec)
        guard resolution.pixelCount >= 320 * 240 else { return [high] }
        guard resolution.pixelCount >= 960 * 540 else { return [high, .low(codec)] }
        let half = Resolution(width: resolution.width / 4 * 2, height: resolution.height / 4 * 2)
        var medium = LayerSettings.high(half, bitrate: .suggested(for: half, codec: codec), codec: codec)
        (medium.rid, medium.frameRate) = (.medium, 20)
        return [high, medium, .low(codec)]
    }
}

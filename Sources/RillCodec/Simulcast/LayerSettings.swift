public import RillCore
public import RillImage

/// One stream of a simulcast: what it is called, how large, how fast and how many bits.
///
///     let layers = [LayerSettings.high(.hd720, bitrate: .kilobits(1500)), .low]
public struct LayerSettings: Sendable, Equatable {
    /// The name of the stream. It does not change at run time.
    public var rid: StreamLayer.RID
    /// Size of the coded pictures. The source is brought to its shape as ``aspect`` says, then scaled.
    public var resolution: Resolution
    /// The most frames a second, up to 240; a faster source is thinned out by its stamps. Of a layer that
    /// ``takesEveryFrame`` it is no limit, but the rate that most of the source has, whatever that is: what the rate control
    /// expects.
    public var frameRate: FrameRate
    /// Whether every frame of the source is taken at its own time, however close it follows the one before: what a file
    /// wants that nobody asked a rate for. A layer that gives up some of its rate (``Degradation``) has a limit meanwhile.
    public var takesEveryFrame = false
    /// Target of the rate control, from ``RillCore/EncoderSettings/minimumBitrate`` to 1 Gbit/s.
    public var bitrate: Bitrate
    /// What becomes of a source of another shape.
    public var aspect = AspectPolicy.crop
    /// Whether frames that are the same as the one before are left out, but for one a second; `nil` leaves them out of
    /// screen content alone. A camera's noise makes no two frames the same, and a slow layer is to keep its rate.
    public var skipsUnchangedFrames: Bool?
    /// How the codec works. The codec itself does not change at run time.
    ///
    /// An own encoder (``VideoEncoderFactory``) gets them as they are. Rill itself looks at
    /// ``RillCore/EncoderSettings/temporalPattern``, which says how many temporal layers the stream has, and at content and
    /// effort, by which unchanged frames are left out.
    public var encoder: EncoderSettings
    /// What the stream is coded with.
    public var codec: VideoCodec { encoder.codec }

    /// A stream of any shape; ``high(_:bitrate:)`` and ``low`` are the usual two.
    ///
    /// Nothing is checked here: ``validate()`` does, and whoever takes the settings.
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

    /// The most frames a second; `nil` for no limit.
    var maximumFrameRate: FrameRate? { takesEveryFrame ? nil : frameRate }

    /// The same for a file that keeps every frame of its source: without a limit, expecting the rate that most of the source
    /// has, if that is known.
    public func takingEveryFrame(of typicalRate: FrameRate?) -> LayerSettings {
        var layer = self
        layer.takesEveryFrame = true
        layer.frameRate = typicalRate ?? frameRate
        return layer
    }

    /// Whether frames that are the same as the one before are left out.
    /// Never by an encoder that looks ahead, which has to get the frames that its first pass got.
    var isSkippingUnchangedFrames: Bool {
        encoder.effort == .realtime && skipsUnchangedFrames ?? (encoder.content == .screen)
    }

    /// Finds what no encoder would take.
    ///
    /// - Throws: ``CodecError/invalidSettings(_:)``, whose text names the layer, the setting and its range.
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
    /// The stream that carries the picture at full size, at up to 30 frames a second.
    public static func high(
        _ resolution: Resolution, bitrate: Bitrate, codec: VideoCodec = .vp8
    ) -> LayerSettings {
        LayerSettings(
            rid: .high, resolution: resolution, frameRate: 30, bitrate: bitrate, encoder: EncoderSettings(codec))
    }

    /// The stream for thumbnails and bad networks: 160x120, 5 frames a second, 45 kbit/s, VP8.
    public static let low = low(.vp8)

    /// The same in the codec of your choice.
    ///
    /// Its key frames are held to 175 % of a mean frame. At five frames a second libvpx's own limits are not enough: asked
    /// for a key frame every second, VP8 spends up to half of the bits on it and starves the frames between, and VP9 does
    /// not take the excess back. The rate control begins with a full buffer, or the first picture would be five decibels
    /// poorer than it need be.
    public static func low(_ codec: VideoCodec) -> LayerSettings {
        var low = LayerSettings(
            rid: .low, resolution: .qqvga, frameRate: 5, bitrate: .kilobits(45), encoder: EncoderSettings(codec))
        low.encoder.maximumKeyFramePercentage = 175
        low.encoder.initialBufferLevel = low.encoder.bufferSize
        return low
    }
}

extension [LayerSettings] {
    /// The layers that suit a source of that size, from the largest to the smallest, at the bitrates of
    /// ``RillCore/Bitrate/suggested(for:codec:)``:
    ///
    /// - from 960x540 on: the full size (`high`), half of it at up to 20 frames a second (`medium`), and ``LayerSettings/low``;
    /// - from 320x240 on: the full size and ``LayerSettings/low``;
    /// - below: the full size alone.
    ///
    ///     let pipeline = try SendPipeline(SendSettings(layers: .standard(for: .hd720), seed: seed))
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

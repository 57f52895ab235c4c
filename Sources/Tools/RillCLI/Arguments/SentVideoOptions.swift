import ArgumentParser
import Rill
import RillCore
import RillRTP
import RillScenes

/// The source and encoding of sent video: the options that `rill call` and `rill send` share.
struct SentVideoOptions: ParsableArguments {
    @Option(
        help: "Size of the high stream (default: the source's own; 640x480 for the scene).",
        completion: .sizes, transform: resolutionNotation)
    var size: Resolution?

    @Option(
        help: "Bitrate of the high stream (default: depends on the size, 800k at 640x480).", transform: bitrateNotation)
    var bitrate: Bitrate?

    @Option(help: "Bitrate of the low stream (default: 45k).", transform: bitrateNotation)
    var lowBitrate: Bitrate = LayerSettings.low.bitrate

    @Option(help: "The codec, \(codecValues), the same on both sides.", completion: .codecs, transform: codecNotation)
    var codec: VideoCodec = .default

    @Option(help: "Do not code again what stands still, on or off; VP8 of a camera's pictures only.")
    var stillBlocks = StillBlocksChoice.on

    @OptionGroup
    var faces: SentFacesOptions

    @OptionGroup
    var congestionOptions: CongestionOptions

    @OptionGroup(title: "Raw clips")
    var clipOptions: ClipOptions

    @OptionGroup(title: "Cameras")
    var cameraOptions: CameraOptions

    /// The settings of a call that sends these layers. Says on standard error if faces cannot be found.
    func callSettings(_ layers: [LayerSettings]) throws -> VideoCallSettings {
        var settings = VideoCallSettings(layers: layers)
        (settings.send.beauty, settings.send.faces) = (faces.beauty, try faces.detection())
        settings.send.congestion = congestionOptions.settings(byDefault: true)
        settings.statisticsInterval = CallMonitor.interval
        return settings
    }

    /// Opens a source. Without a name the portrait scene has the size of ``size``.
    func open(_ name: String?, atEnd ending: LiveClip.Ending) throws -> any FrameSource {
        try openSource(name, size: size, atEnd: ending, clipOptions, cameraOptions)
    }

    /// The high stream of pictures of that size.
    func high(of resolution: Resolution) -> LayerSettings {
        var high = LayerSettings.high(
            resolution, bitrate: bitrate ?? .suggested(for: resolution, codec: codec), codec: codec)
        high.encoder.skipsStillBlocks = stillBlocks == .on
        return high
    }

    /// The low stream.
    var low: LayerSettings {
        var low = LayerSettings.low(codec)
        low.bitrate = lowBitrate
        low.encoder.skipsStillBlocks = stillBlocks == .on
        return low
    }
}

/// Opens a camera, a clip that plays in real time, or without a name the portrait scene.
func openSource(
    _ name: String?, size: Resolution? = nil, atEnd ending: LiveClip.Ending, _ options: ClipOptions,
    _ cameraOptions: CameraOptions
) throws -> sending any FrameSource {
    guard let name else { return try PortraitScene(resolution: size ?? .vga, frameRate: 30) }
    if let camera = cameraSelection(name) { return try readingInput { try cameraOptions.open(camera) } }
    return try readingInput { try LiveClip(atEnd: ending) { try options.open(name) } }
}

extension LayerSettings {
    /// A line about the stream, for a page: `VP8 640x480, up to 30 fps, 800 kbit/s`.
    var fact: [String] { ["\(rid) stream", summary] }

    /// The same without the name.
    var summary: String {
        "\(encoder.codec.rawValue.uppercased()) \(resolution), up to \(frameRate) fps, "
            + "\(Decimal.text(bitrate.kilobits, decimals: 0)) kbit/s"
    }
}

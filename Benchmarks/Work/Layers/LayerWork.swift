import Arguments
import Rill
import RillCodec
import RillFiles
import RillImage

/// One simulcast layer on its own: its input pictures, its encoding, and its quality.
///
///     layer-source --clip C --layer SIZE@RATE [--seconds N] --output PICTURES.y4m|.yuv
///     layer-encode --clip C --layer SIZE@RATE [--seconds N] --codec vp8|vp9 --kilobits N [--key-every FRAMES]
///                  [--key-percentage N] [--denoise on] --output CODED.ivf
///     layer-judge  --clip C --layer SIZE@RATE [--seconds N] --coded CODED.ivf  < PICTURES.yuv
///
/// The clip is cropped, scaled and reduced to the layer's frame rate as on the sending side, and repeated until the
/// seconds are filled, or played once without them. `layer-encode` prints a line for each encoded frame, `number bytes
/// key qp`. `layer-judge` prints one for each input frame, `number bytes squared-error-of-Y SSIM-of-Y`, compared with
/// the newest decoded picture, so that a dropped frame counts with the picture before it. The decoded pictures are I420
/// on standard input, from any decoder, one for each frame of the IVF file.
struct LayerWork {
    private let arguments: Arguments
    private let resolution: Resolution
    private let rate: FrameRate
    private let pictures: LayerPictures

    init(_ arguments: Arguments) throws {
        let parts = try arguments["layer"].split(separator: "@")
        guard parts.count == 2, let rate = Int(parts[1]), rate > 0 else {
            throw WrongUse("--layer needs a size and a rate, such as 160x120@5")
        }
        self.arguments = arguments
        self.rate = FrameRate(rate)
        resolution = try Resolution(notation: parts[0])
        pictures = try LayerPictures(
            clip: arguments["clip"], resolution: resolution, rate: self.rate, seconds: arguments.number("seconds"))
    }

    /// Writes the layer's input as a clip.
    func writeSource() throws {
        let path = try arguments["output"]
        let writer: any FrameSink =
            path.hasSuffix(".yuv")
            ? try RawVideoWriter(path: path, resolution: resolution)
            : try Y4MWriter(path: path, resolution: resolution, frameRate: rate)
        while let picture = try pictures.next() { try writer.consume(picture) }
        try writer.finish()
    }

    /// Encodes the layer's input, with the same plan and encoder as in a call.
    func encode() throws {
        let codec = try arguments.codec
        let low = LayerSettings.low(codec)
        // The presets; a layer with the low layer's size and rate uses its preset.
        var settings = LayerSettings.high(resolution, bitrate: low.bitrate, codec: codec)
        if resolution == low.resolution, rate == low.frameRate { settings = low }
        settings.frameRate = rate
        settings.bitrate = .kilobits(try arguments.number("kilobits") ?? 45)
        settings.encoder.isDenoising = arguments.optional("denoise") != nil
        if let percentage = try arguments.number("key-percentage", atLeast: 0) {
            settings.encoder.maximumKeyFramePercentage = percentage
        }
        let encoder = try SimulcastEncoder(layers: [settings])
        let file = try IVFWriter(path: arguments["output"], codec: codec, resolution: resolution)
        let keyInterval = try arguments.number("key-every") ?? .max
        var (qpSum, number) = (0, 0)
        while let picture = try pictures.next() {
            if number > 0, number % keyInterval == 0 { encoder.plan.requestKeyFrame(layer: 0) }
            try encoder.encode(picture) { coded, bytes in
                try file.consume(coded, payload: bytes)
                let sum = encoder.layers[0].statistics.qpSum
                print(number, bytes.count, coded.isKey ? 1 : 0, sum - qpSum)
                qpSum = sum
            }
            number += 1
        }
        try file.finish()
    }

    /// Compares the layer's input with the decoded pictures.
    func judge() throws {
        let coded = try CodedPictures(path: arguments["coded"], resolution: resolution, rate: rate)
        var number = 0
        while let picture = try pictures.next() {
            let shown = try coded.shown(at: number)
            let difference = PictureDifference(between: shown.picture, and: picture)
            print(number, shown.byteCount, difference.meanSquaredError.y, difference.ssim.y)
            number += 1
        }
        try coded.finish()
    }
}

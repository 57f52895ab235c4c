import Arguments
import Rill
import RillCodec
import RillFiles
import RillImage

/// One layer of a simulcast by itself: what it sees of a clip, what the encoder makes of it, how that looks.
///
///     layer-source --clip C --layer SIZE@RATE [--seconds N] --output PICTURES.y4m|.yuv
///     layer-encode --clip C --layer SIZE@RATE [--seconds N] --codec vp8|vp9 --kilobits N [--key-every FRAMES]
///                  [--key-percentage N] [--denoise on] --output CODED.ivf
///     layer-judge  --clip C --layer SIZE@RATE [--seconds N] --coded CODED.ivf  < PICTURES.yuv
///
/// The clip is cut, scaled and thinned out to the layer as the sending side does it, and played over and over until the
/// seconds are full; without them once. `layer-encode` prints a line for each frame that was coded, `number bytes key qp`;
/// `layer-judge` one for each frame that the layer saw, `number bytes squared-error-of-Y SSIM-of-Y`, comparing it with the
/// newest decoded picture, so that a frame that the encoder left out counts with the picture before it. The decoded
/// pictures come as I420 on standard input: any decoder's, one for each frame of the IVF file.
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

    /// Writes what the layer sees as a clip.
    func writeSource() throws {
        let path = try arguments["output"]
        let writer: any FrameSink =
            path.hasSuffix(".yuv")
            ? try RawVideoWriter(path: path, resolution: resolution)
            : try Y4MWriter(path: path, resolution: resolution, frameRate: rate)
        while let picture = try pictures.next() { try writer.consume(picture) }
        try writer.finish()
    }

    /// Encodes what the layer sees, through the same plan and encoder as a call's.
    func encode() throws {
        let codec = try arguments.codec
        let low = LayerSettings.low(codec)
        // The presets; a layer as small and slow as the low one is the low one.
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

    /// Compares what the layer saw with what a decoder shows of it.
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

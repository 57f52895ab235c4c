import Glibc
import Rill
import RillCodec
import RillFiles
import RillImage

/// One layer of a simulcast by itself: what it sees of a clip, what the encoder makes of it, how that looks.
///
///     layer-trial source --clip CLIP.y4m --layer SIZE@RATE [--seconds N] --output PICTURES.y4m|.yuv
///     layer-trial encode --clip CLIP.y4m --layer SIZE@RATE [--seconds N] --codec vp8|vp9 --kilobits N
///                        [--key-every FRAMES] [--key-percentage N] [--denoise on] --output CODED.ivf
///     layer-trial judge  --clip CLIP.y4m --layer SIZE@RATE [--seconds N] --coded CODED.ivf  < PICTURES.yuv
///
/// The clip is cut, scaled and thinned out to the layer as the sending side does it, and played over and over until the
/// seconds are full; without them once. `encode` prints a line for each frame that was coded, `number bytes key qp`;
/// `judge` one for each frame that the layer saw, `number bytes squared-error-of-Y SSIM-of-Y`, comparing it with the
/// newest decoded picture, so that a frame that the encoder left out counts with the picture before it. The decoded
/// pictures come as I420 on standard input: any decoder's, one for each frame of the IVF file.
@main
struct LayerTrial {
    static func main() {
        do {
            try run()
        } catch {
            let message = "layer-trial: \(error)\n"
            write(STDERR_FILENO, message, message.utf8.count)
            exit(1)
        }
    }

    private static func run() throws {
        let options = try Options(Array(CommandLine.arguments.dropFirst()))
        let pictures = try LayerPictures(
            clip: options["clip"], resolution: options.resolution, rate: options.rate, seconds: options.seconds)
        switch options.verb {
        case "source": try writeSource(pictures, options)
        case "encode": try encode(pictures, options)
        case "judge": try judge(pictures, options)
        default: throw WrongUse("no verb \(options.verb): expected source, encode or judge")
        }
    }

    /// Writes what the layer sees as a clip.
    private static func writeSource(_ pictures: LayerPictures, _ options: Options) throws {
        let path = try options["output"]
        let writer: any FrameSink =
            path.hasSuffix(".yuv")
            ? try RawVideoWriter(path: path, resolution: options.resolution)
            : try Y4MWriter(path: path, resolution: options.resolution, frameRate: options.rate)
        while let picture = try pictures.next() { try writer.consume(picture) }
        try writer.finish()
    }

    /// Encodes what the layer sees, through the same plan and encoder as a call's.
    private static func encode(_ pictures: LayerPictures, _ options: Options) throws {
        let codec = try options.codec
        let low = LayerSettings.low(codec)
        // The presets; a layer as small and slow as the low one is the low one.
        var settings = LayerSettings.high(options.resolution, bitrate: low.bitrate, codec: codec)
        if options.resolution == low.resolution, options.rate == low.frameRate { settings = low }
        settings.frameRate = options.rate
        settings.bitrate = .kilobits(try options.number("kilobits"))
        settings.encoder.isDenoising = options.has("denoise")
        if options.has("key-percentage") {
            settings.encoder.maximumKeyFramePercentage = try options.number("key-percentage", atLeast: 0)
        }
        let encoder = try SimulcastEncoder(layers: [settings])
        let file = try IVFWriter(path: options["output"], codec: codec, resolution: options.resolution)
        let keyInterval = options.has("key-every") ? try options.number("key-every") : Int.max
        var qpSum = 0
        var number = 0
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
    private static func judge(_ pictures: LayerPictures, _ options: Options) throws {
        let coded = try CodedPictures(path: options["coded"], resolution: options.resolution, rate: options.rate)
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

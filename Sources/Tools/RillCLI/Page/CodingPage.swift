import Rill
import RillCore
import RillImage
import RillLab
import RillTranscode

/// The page of `rill transcode --compare`: what coding does to the pictures of a clip, as figures, pictures and plots.
struct CodingPage: ReportPage {
    let kind = "coding"
    let title: String
    let facts: [[String]]
    let report: Report

    struct Report: Encodable {
        let duration: Double
        let pictures: [Picture]
        let shown: [Shown]
        /// Y, U and V, of all pictures.
        let psnr: [Double]?
        /// Of Y.
        let ssim: Double?
        /// How much larger errors are drawn.
        let factor = CodingComparison.errorFactor
    }

    struct Picture: Encodable {
        let time: Double
        let bytes, blocks, still: Int
        let key: Bool
        let quantizer: Int?
        let psnr: [Double]

        init(_ picture: CodedPicture) {
            (time, bytes, key) = (picture.captureTime.seconds, picture.byteCount, picture.isKeyFrame)
            (blocks, still, quantizer) = (picture.blockCount, picture.stillBlockCount, picture.quantizer)
            psnr = picture.difference.psnr.planes
        }
    }

    struct Shown: Encodable {
        let index: Int
        let picture: PagePicture
    }

    /// - Parameters:
    ///   - record: what was coded; at least one picture.
    ///   - layer: how it was coded.
    ///   - input: the clip's name.
    init(_ record: CodingRecord, of layer: LayerSettings, input: String) {
        title = "\(input), coded"
        let target =
            layer.encoder.quality.map { "constant quality \($0)" }
            ?? "\(Decimal.text(Double(layer.bitrate.bitsPerSecond) / 1000, decimals: 0)) kbit/s"
        facts = [
            ["codec", "\(layer.encoder.codec.rawValue.uppercased()) \(layer.resolution), \(target)"],
            ["still blocks", layer.encoder.skipsStillBlocks ? "not coded again" : "coded"],
            ["made by", Version.text],
        ]
        report = Report(
            duration: record.duration.seconds, pictures: record.pictures.map(Picture.init),
            shown: record.shown.map { Shown(index: $0.index, picture: PagePicture($0.thumbnail)) },
            psnr: record.quality.psnr?.planes, ssim: record.quality.ssim?.y)
    }
}

extension PictureDifference.Planes {
    fileprivate var planes: [Double] { [y, u, v] }
}

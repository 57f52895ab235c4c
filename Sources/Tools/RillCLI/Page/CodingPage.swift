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

/// What a ``CodingComparison`` showed: the figures of all pictures, and some of the pictures, evenly spread.
struct CodingRecord {
    /// The figures of the pictures, in order.
    private(set) var pictures: [CodedPicture] = []
    /// Some of the pictures: their places in ``pictures``, and the pictures themselves.
    private(set) var shown: [(index: Int, thumbnail: Thumbnail)] = []
    /// The mean quality of all pictures.
    private(set) var quality = QualityMeter()
    private let comparison: CodingComparison
    /// Every such picture is kept.
    private var interval = 1

    /// The most pictures that are kept. Whatever the length of a clip, at least half as many are.
    private static let capacity = 8
    /// libvpx's quantizer, of 63: the pictures of the page must not add much to the errors that they show.
    private static let quantizer = 6

    init(_ comparison: CodingComparison) { self.comparison = comparison }

    /// From the first picture to the end of the last, which takes as long as the others.
    var duration: MediaDuration {
        guard let first = pictures.first, let last = pictures.last else { return .zero }
        // Times of a damaged clip may fall.
        let span = max(.zero, last.captureTime - first.captureTime)
        guard pictures.count > 1 else { return comparison.layer.frameRate.interval }
        return span + span / (pictures.count - 1)
    }

    /// Codes the next picture; returns `false` at the end.
    mutating func addNext() throws -> Bool {
        while true {
            switch try comparison.next() {
            case .frame(let frame):
                guard let coded = comparison.newest else { preconditionFailure("a picture was returned") }
                try keep(frame)
                pictures.append(coded)
                quality.add(coded.difference)
                return true
            case .pending: continue
            case .noBuffer: preconditionFailure("no picture is kept")
            case .end: return false
            }
        }
    }

    private mutating func keep(_ frame: VideoFrame) throws {
        let index = pictures.count
        guard index % interval == 0 else { return }
        if shown.count == Self.capacity {
            interval *= 2
            shown.removeAll { $0.index % interval != 0 }
            guard index % interval == 0 else { return }
        }
        shown.append(
            (index, try Thumbnail(of: frame, at: frame.captureTime, quantizer: Self.quantizer)))
    }
}

import Rill
import RillCore
import RillImage
import RillLab
import RillPages
import RillTranscode

/// The page of `rill transcode --compare`: what coding does to the pictures of a clip, as figures, pictures and plots.
struct CodingPage {
    private let record: CodingRecord
    private let facts: [(name: String, value: String)]
    private let title: String

    /// - Parameters:
    ///   - record: what was coded; at least one picture.
    ///   - layer: how it was coded.
    ///   - input: the clip's name.
    init(_ record: CodingRecord, of layer: LayerSettings, input: String) {
        self.record = record
        title = "\(input), coded"
        let target =
            layer.encoder.quality.map { "constant quality \($0)" }
            ?? "\(Decimal.text(Double(layer.bitrate.bitsPerSecond) / 1000, decimals: 0)) kbit/s"
        facts = [
            ("codec", "\(layer.encoder.codec.rawValue.uppercased()) \(layer.resolution), \(target)"),
            ("still blocks", layer.encoder.skipsStillBlocks ? "not coded again" : "coded"),
            ("made by", Version.text),
        ]
    }

    var page: Page {
        Page(
            title: title,
            subtitle: "\(record.pictures.count) pictures, \(Decimal.text(record.duration.seconds, decimals: 2)) s.",
            body: [overview, pictures, plots])
    }

    // MARK: Figures

    private var overview: HTML {
        var run = PageTable(["Coding", ""], holdsWords: true)
        for fact in facts { run.add([fact.name, fact.value]) }
        var result = PageTable(["Result", ""])
        result.add(["bitrate, kbit/s", Decimal.text(bitrate, decimals: 1)])
        if let psnr = record.quality.psnr {
            result.add(["PSNR of Y, U, V, dB", [psnr.y, psnr.u, psnr.v].map(decibels).joined(separator: ", ")])
        }
        if let ssim = record.quality.ssim { result.add(["SSIM of Y", Decimal.text(ssim.y, decimals: 4)]) }
        result.add(["blocks left out", Decimal.percent(share(record.pictures))])
        result.add(["key frames", "\(record.pictures.count { $0.isKeyFrame })"])
        let dropped = record.pictures.count { $0.byteCount == 0 }
        if dropped > 0 { result.add(["dropped by the rate control", "\(dropped)"]) }
        return .element("section", [:], .element("div", ["class": "columns"], result.html, run.html))
    }

    /// In kbit/s; `nil` if no time passes from picture to picture.
    private var bitrate: Double? {
        let seconds = record.duration.seconds
        return seconds > 0 ? Double(record.pictures.reduce(0) { $0 + $1.byteCount } * 8) / 1000 / seconds : nil
    }

    private func share(_ pictures: some Collection<CodedPicture>) -> Double {
        let (still, all) = pictures.reduce((0, 0)) { ($0.0 + $1.stillBlockCount, $0.1 + $1.blockCount) }
        return Double(still) / Double(max(all, 1))
    }

    private func decibels(_ value: Double) -> String { value.isFinite ? Decimal.text(value, decimals: 2) : "∞" }

    // MARK: Pictures

    private var pictures: HTML {
        .section(
            "Pictures",
            [
                .paragraph(
                    "Above: the picture of the clip, and the one that decoders show. Below: the blocks that were coded, in "
                        + "color, while those left out as still are dark; and the error of luma and chroma, "
                        + "\(CodingComparison.errorFactor) times as large, around gray.")
            ]
                + record.shown.map { index, thumbnail in
                    let picture = record.pictures[index]
                    return .element(
                        "figure", ["class": "whole"],
                        .element("figcaption", [:], HTML(text: caption(of: picture))),
                        .element(
                            "img",
                            [
                                "src": DataURI.text(thumbnail.webP, type: "image/webp"),
                                "width": "\(thumbnail.resolution.width)", "height": "\(thumbnail.resolution.height)",
                                "alt": "the picture, what decoders show, the blocks coded, and the error",
                            ]))
                })
    }

    private func caption(of picture: CodedPicture) -> String {
        let parts = [
            "\(Decimal.text(seconds(picture), decimals: 2)) s", picture.isKeyFrame ? "key frame" : nil,
            picture.byteCount > 0 ? "\(picture.byteCount) bytes" : "dropped",
            picture.quantizer.map { "quantizer index \($0)" }, "PSNR-Y \(decibels(picture.difference.psnr.y)) dB",
            "\(Decimal.percent(share(CollectionOfOne(picture)))) of the blocks left out",
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private func seconds(_ picture: CodedPicture) -> Double {
        (picture.captureTime - (record.pictures.first?.captureTime ?? picture.captureTime)).seconds
    }

    // MARK: Plots

    private var plots: HTML {
        let time = 0...record.duration.seconds
        return .section(
            "Over time", [.stack([blocks, quality, quantizer, size].map { $0(.time(time)).html }, over: time)])
    }

    private func blocks(over x: Axis) -> Plot {
        Plot(
            "Blocks left out", caption: "Of all macroblocks of a picture, because they stand still.", x: x,
            y: Axis("left out", unit: "%", holding: [], atLeast: 100, atMost: 100),
            [.line("left out", .blue, points { 100 * share(CollectionOfOne($0)) })])
    }

    private func quality(over x: Axis) -> Plot {
        let (luma, chroma) = (
            points { $0.difference.psnr.y }, points { min($0.difference.psnr.u, $0.difference.psnr.v) }
        )
        return Plot(
            "Quality", caption: "PSNR of what decoders show. Good: high, and without steps down.", x: x,
            y: Axis("PSNR", unit: "dB", decades((luma + chroma).map(\.y))),
            [.line("Y", .blue, luma), .line("U or V, whichever is lower", .orange, chroma, isDashed: true)])
    }

    /// Whole tens around finite values.
    private func decades(_ values: [Double]) -> ClosedRange<Double> {
        let finite = values.filter(\.isFinite)
        guard let low = finite.min(), let high = finite.max() else { return 0...60 }
        return (low / 10).rounded(.down) * 10...(high / 10).rounded(.up) * 10
    }

    private func quantizer(over x: Axis) -> Plot {
        let indices = points { $0.quantizer.map(Double.init) ?? .nan }
        return Plot(
            "Quantizer index", caption: "Good: low.", x: x,
            y: Axis("index", holding: indices.map(\.y)), [.line("index", .purple, indices)])
    }

    private func size(over x: Axis) -> Plot {
        let sizes = points { Double($0.byteCount) / 1000 }
        return Plot(
            "Size", caption: "Of each picture; key frames are the largest.", x: x,
            y: Axis("size", unit: "kB", holding: sizes.map(\.y)), [.line("size", .green, sizes)])
    }

    private func points(_ value: (CodedPicture) -> Double) -> [Mark.Point] {
        record.pictures.map { Mark.Point(seconds($0), value($0)) }
    }
}

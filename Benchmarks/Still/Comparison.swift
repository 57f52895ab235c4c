import Arguments
import Glibc
import RillCodec
import RillCore
import RillImage

/// The effect of still blocks on the picture at equal actual rates.
///
/// Without them the clip is encoded at 0.85, 1 and 1.18 times each bitrate, and the figures are interpolated over the
/// logarithm of the actual rate.
struct Comparison {
    private let clip: Clip
    private let trial: Trial
    private let rates: [Int]
    private let cache: String?

    init(_ arguments: Arguments) throws {
        clip = try Clip(arguments["clip"])
        trial = try Trial(arguments, kilobits: 0)
        rates = try arguments["kilobits"].split(separator: ",").compactMap { Int($0) }
        cache = arguments.optional("cache")
    }

    func run() throws {
        for rate in rates {
            let usual = try [0.85, 1, 1.18].map { try outcome(Int(Double(rate) * $0), isStill: false) }
            let still = try outcome(rate, isStill: true)
            let change = still - Outcome.interpolated(usual, atBytes: still.byteCount)
            print(
                """
                kilobits=\(rate) actual=\(text(Double(still.byteCount) / Double(usual[1].byteCount), 3)) \
                y=\(text(change.y, 3)) uv=\(text(change.uv, 3)) ssim=\(text(change.ssim, 5)) \
                worst-frame=\(text(change.worstFrame, 2)) worst-block=\(text(change.worstBlock, 2)) \
                skipped=\(text(still.skipped, 3)) psnr=\(text(still.y, 2))
                """)
        }
    }

    private func outcome(_ kilobits: Int, isStill: Bool) throws -> Outcome {
        var trial = trial
        (trial.kilobits, trial.isStill) = (kilobits, isStill)
        let path = cache.map { "\($0)-\(kilobits)" }
        if !isStill, let path, let kept = Outcome(path: path) { return kept }
        let outcome = try Outcome(trial, clip)
        if !isStill, let path { outcome.write(path) }
        return outcome
    }

    private func text(_ value: Double, _ digits: Int) -> String {
        let factor = pow(10, Double(digits))
        return "\((value * factor).rounded() / factor)"
    }
}

/// How the pictures of one encoding look.
struct Outcome {
    var byteCount: Double
    /// PSNR in dB over the whole clip, of luma and of both planes of chroma.
    var y: Double
    var uv: Double
    var ssim: Double
    /// The lowest PSNR-Y of a frame.
    var worstFrame: Double
    /// The PSNR-Y of the largest error that a macroblock keeps for 30 frames.
    var worstBlock: Double
    /// The share of macroblocks left out.
    var skipped: Double

    private var values: [Double] { [byteCount, y, uv, ssim, worstFrame, worstBlock, skipped] }

    private init(_ v: [Double]) {
        (byteCount, y, uv, ssim, worstFrame, worstBlock, skipped) = (v[0], v[1], v[2], v[3], v[4], v[5], v[6])
    }

    init?(path: String) {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 1000)
        guard fgets(&line, 1000, file) != nil else { return nil }
        let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let values = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap {
            Double($0)
        }
        guard values.count == 7 else { return nil }
        self.init(values)
    }

    func write(_ path: String) {
        guard let file = fopen(path, "w") else { return }
        fputs(values.map { "\($0)" }.joined(separator: " ") + "\n", file)
        fclose(file)
    }

    init(_ trial: Trial, _ clip: Clip) throws {
        let encoder = try trial.encoder(clip.resolution)
        let decoder = try VPXDecoder(encoder.settings.codec, poolCapacity: 2)
        var (errors, ssim, worst) = ((0.0, 0.0), 0.0, Double.infinity)
        var blocks = BlockHistory(clip.resolution)
        var picture: VideoFrame?
        for frame in clip.frames {
            try encoder.encode(frame) { coded, bytes in
                picture = nil
                if case .picture(let decoded) = try decoder.decode(bytes, captureTime: coded.captureTime) {
                    picture = decoded
                }
            }
            guard let picture else { throw WrongUse("nothing was decoded") }
            let difference = PictureDifference(between: picture, and: frame)
            let square = difference.meanSquaredError
            errors.0 += square.y
            errors.1 += (square.u + square.v) / 2
            ssim += difference.ssim.y
            worst = min(worst, difference.psnr.y)
            blocks.add(picture, frame)
        }
        let count = Double(clip.frames.count)
        let macroblocks = Double((clip.resolution.width + 15) / 16 * ((clip.resolution.height + 15) / 16))
        self.init([
            Double(encoder.statistics.bytesEncoded), PictureDifference.psnr(ofMeanSquaredError: errors.0 / count),
            PictureDifference.psnr(ofMeanSquaredError: errors.1 / count), ssim / count, worst,
            PictureDifference.psnr(ofMeanSquaredError: blocks.largest),
            Double(encoder.statistics.stillBlocksSkipped) / macroblocks / count,
        ])
    }

    static func - (a: Outcome, b: Outcome) -> Outcome { Outcome(zip(a.values, b.values).map { $0 - $1 }) }

    static func interpolated(_ outcomes: [Outcome], atBytes bytes: Double) -> Outcome {
        let sorted = outcomes.sorted { $0.byteCount < $1.byteCount }
        let upper = max(1, sorted.firstIndex { $0.byteCount >= bytes } ?? sorted.count - 1)
        let (a, b) = (sorted[upper - 1], sorted[upper])
        let weight = b.byteCount > a.byteCount ? log(bytes / a.byteCount) / log(b.byteCount / a.byteCount) : 0
        return Outcome(zip(a.values, b.values).map { $0 + ($1 - $0) * weight })
    }
}

/// The squared errors of each macroblock of luma over the last 30 frames.
struct BlockHistory {
    private static let length = 30
    private let columns: Int
    private let rows: Int
    private var errors: [[Double]]
    /// The largest mean squared error that a macroblock had in each of 30 frames in a row.
    private(set) var largest = 0.0

    init(_ resolution: Resolution) {
        (columns, rows) = (resolution.width / 16, resolution.height / 16)
        errors = Array(repeating: [], count: columns * rows)
    }

    mutating func add(_ a: VideoFrame, _ b: VideoFrame) {
        var sums = Array(repeating: 0, count: columns * rows)
        for y in 0..<rows * 16 {
            let (first, second) = (a.y.row(y), b.y.row(y))
            for x in 0..<columns * 16 {
                let difference = Int(first[x]) - Int(second[x])
                sums[y / 16 * columns + x / 16] += difference * difference
            }
        }
        for (index, sum) in sums.enumerated() {
            errors[index].append(Double(sum) / 256)
            if errors[index].count > Self.length { errors[index].removeFirst() }
            guard errors[index].count == Self.length, let least = errors[index].min() else { continue }
            largest = max(largest, least)
        }
    }
}

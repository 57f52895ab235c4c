import Arguments
import Clips
import Foundation
import Rill
import RillCodec
import RillCore
import RillFiles
import RillImage
import RillLab
import RillLink
import RillSession

/// A call with encoders and decoders whose bitrate follows an emulated network, in virtual time.
enum CongestionTrial {
    /// Makes a call, and prints a line of JSON.
    static func run(_ name: String, seed: UInt64, clip path: String) throws {
        guard let trial = CongestionCase.all.first(where: { $0.name == name }) else {
            throw WrongUse("no case \(name): \(CongestionCase.all.map(\.name).joined(separator: ", "))")
        }
        let source = try LoopedClip(path: path, seconds: trial.seconds)
        let layers = [LayerSettings.high(source.format.resolution, bitrate: .kilobits(2300)), .low]
        var settings = CallSettings(
            layers: layers, network: try LinkSettings(notation: trial.forward).seeded(seed))
        settings.returnNetwork = try LinkSettings(notation: trial.back).seeded(seed + 1000)
        settings.congestion = CongestionSettings(bitrates: .kilobits(30) ... .kilobits(2500))
        settings.encodeTime = .milliseconds(10)
        settings.decodeTime = .milliseconds(5)
        let log = CongestionLog(cuts: try ClipCuts(path: path))
        let high = layers[0]
        let references = try References(try LoopedClip(path: path, seconds: trial.seconds), of: high)
        let scaler = try LayerScaler(high.resolution, aspect: high.aspect, capacity: 2)
        try CallSimulation(settings, observer: log).run(encoding: source) { layer, _, picture in
            // The receiver's times begin elsewhere.
            guard layer == 0, let time = log.layers[0].newestShown, trial.isQualityMeasured(at: time),
                let shown = scaler.fitted(picture)
            else { return }
            log.noteError(try references.error(of: shown, capturedAt: time), at: time)
        }
        var result = log.result(trial, seed: seed)
        for (index, window) in trial.windows.enumerated() where window.isQualityMeasured {
            let clip = try LoopedClip(path: path, seconds: window.to)
            result.windows[index].psnrAlone = try encoderAlone(
                high, bitrate: Bitrate(bitsPerSecond: result.windows[index].highBitrate), clip, from: window.from)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        print(String(decoding: try encoder.encode(result), as: UTF8.self))
    }
}

extension CongestionTrial {
    /// The PSNR of the luma that the layer's encoder reaches with a constant bitrate, in dB, from a time of the clip on. It begins five
    /// seconds before.
    private static func encoderAlone(
        _ layer: LayerSettings, bitrate: Bitrate, _ clip: LoopedClip, from start: Int
    ) throws -> Double {
        let encoder = try VPXEncoder(
            layer.encoder, layer: StreamLayer(rid: .high), resolution: layer.resolution, frameRate: layer.frameRate,
            bitrate: bitrate)
        let decoder = try VPXDecoder(layer.codec)
        var errors: [Double] = []
        while case .frame(let frame) = try clip.next() {
            guard frame.captureTime >= .zero + .seconds(start - 5) else { continue }
            _ = try encoder.encode(frame) { _, payload in
                guard case .picture(let picture) = try decoder.decode(payload, captureTime: frame.captureTime),
                    frame.captureTime >= .zero + .seconds(start)
                else { return }
                errors.append(PictureDifference(between: picture, and: frame).meanSquaredError.y)
            }
        }
        return PictureDifference.psnr(ofMeanSquaredError: errors.reduce(0, +) / Double(max(1, errors.count)))
    }
}

/// A clip that is repeated from its start.
private final class LoopedClip: FrameSource {
    let format: SourceFormat
    private let path: String
    private let count: Int
    private var number = 0
    private var reader: Y4MReader

    init(path: String, seconds: Int) throws {
        self.path = path
        reader = try Y4MReader(path: path, capacity: 16)
        count = 30 * seconds
        format = reader.format
    }

    func next() throws -> SourceOutput {
        guard number < count else { return .end }
        var result = try reader.next()
        if case .end = result {
            reader = try Y4MReader(path: path, capacity: 16)
            result = try reader.next()
        }
        guard case .frame(var frame) = result else { return result }
        frame.captureTime = FrameRate(30).time(ofFrame: number)
        frame.timestamps = FrameTimestamps()
        frame.isDiscontinuity = number == 0
        number += 1
        return .frame(frame)
    }
}

/// When another scene begins in a clip that is repeated.
struct ClipCuts {
    /// A frame that differs from the one before by this many times the usual difference begins a scene.
    private static let ratio = 5.0
    private var times: [Double] = [0]
    private var period = Double.infinity

    /// Looks at each picture of a clip with 30 frames a second.
    init(path: String) throws {
        let reader = try Y4MReader(path: path, capacity: 16)
        var before: [UInt8] = []
        var differences: [Double] = []
        while case .frame(let frame) = try reader.next() {
            let samples = Self.samples(of: frame)
            if !before.isEmpty {
                let sum = zip(samples, before).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
                differences.append(Double(sum) / Double(samples.count))
            }
            before = samples
        }
        guard !differences.isEmpty else { return }
        let limit = Self.ratio * differences.sorted()[differences.count / 2]
        for (index, difference) in differences.enumerated() where difference >= limit {
            times.append(Double(index + 1) / 30)
        }
        period = Double(differences.count + 1) / 30
    }

    private static func samples(of frame: VideoFrame) -> [UInt8] {
        let (width, height) = (frame.layout[plane: 0].width, frame.layout[plane: 0].height)
        return (0..<36).flatMap { row in
            let line = frame[plane: 0].row((2 * row + 1) * height / 72)
            return (0..<64).map { line[(2 * $0 + 1) * width / 128] }
        }
    }

    /// Whether a scene began in the second before.
    func isNear(_ time: MediaTime) -> Bool {
        let seconds = period.isFinite ? time.seconds.truncatingRemainder(dividingBy: period) : time.seconds
        return times.contains { seconds >= $0 && seconds < $0 + 1 }
    }
}

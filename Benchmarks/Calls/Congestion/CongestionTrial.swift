import Arguments
import Foundation
import Rill
import RillCodec
import RillCore
import RillImage
import RillLab
import RillLink

/// A call with encoders and decoders whose bitrate follows an emulated network, in virtual time.
enum CongestionTrial {
    /// Makes a call, and prints a line of JSON.
    static func run(_ arguments: Arguments) throws {
        guard arguments.optional("trace") == nil else { return try TraceTrial.run(arguments) }
        let (trial, seed) = (try CongestionCase(arguments), UInt64(try arguments.number("seed") ?? 1))
        let path = try arguments["clip"]
        let source = try LoopedClip(path: path, seconds: trial.seconds)
        let layers = layers(of: source)
        var settings = CallSettings(
            layers: layers, network: try LinkSettings(notation: trial.forward).seeded(seed))
        settings.returnNetwork = try LinkSettings(notation: trial.back).seeded(seed + 1000)
        settings.congestion = congestion
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
        try print(result)
    }

    static func layers(of source: LoopedClip) -> [LayerSettings] {
        [.high(source.format.resolution, bitrate: .kilobits(2300)), .low]
    }

    static var congestion: CongestionSettings { CongestionSettings(bitrates: .kilobits(30) ... .kilobits(2500)) }

    static func print(_ result: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        Swift.print(String(decoding: try encoder.encode(result), as: UTF8.self))
    }
}

extension CongestionCase {
    /// The case that the arguments name, shortened if they ask for that.
    init(_ arguments: Arguments) throws {
        let name = try arguments["case"]
        guard let trial = CongestionCase.all.first(where: { $0.name == name }) else {
            throw WrongUse("no case \(name): \(CongestionCase.all.map(\.name).joined(separator: ", "))")
        }
        self = trial.limited(to: try arguments.number("seconds", atLeast: 4) ?? trial.seconds)
    }
}

extension CongestionTrial {
    /// The PSNR of the luma that the layer's encoder reaches with a constant bitrate, in dB, from a time of the clip
    /// on. It begins five seconds before.
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

import Arguments
import Foundation
import Rill
import RillCodec
import RillFiles
import RillLab

/// The two layers of every trial.
enum Layers {
    static let names = ["high", "low"]

    /// 640x480 at 30 frames per second and 400 kbit/s, 160x120 at 5 and 45 kbit/s.
    ///
    /// - Parameter keySeconds: the maximum key frame interval; `nil` for that of the presets.
    static func settings(keySeconds: Int? = nil) -> [LayerSettings] {
        var layers = [LayerSettings.high(.vga, bitrate: .kilobits(400)), .low]
        guard let keySeconds else { return layers }
        for index in layers.indices {
            layers[index].encoder.maximumKeyFrameInterval =
                keySeconds * layers[index].frameRate.numerator / layers[index].frameRate.denominator
        }
        return layers
    }
}

/// The layers, encoded once: the frames that all calls without codecs send, and the error of each picture.
struct CodedLayers {
    var clips: [CodedLayer]
    /// The mean squared error of luma of each frame.
    var errors: [[Double]]

    /// Encodes the pictures and writes `high.ivf`, `high.errors`, `low.ivf` and `low.errors` to a folder.
    static func prepare(_ pictures: Pictures, seconds: Int, keySeconds: Int?, in folder: String) throws {
        let layers = Layers.settings(keySeconds: keySeconds)
        let encoder = try SimulcastEncoder(layers: layers)
        var ends: [LayerEnd] = []
        for (index, layer) in layers.enumerated() {
            ends.append(
                try LayerEnd(layer, pictures.source(seconds: seconds), path: "\(folder)/\(Layers.names[index])"))
        }
        let source = try pictures.source(seconds: seconds)
        while case .frame(let frame) = try source.next() {
            try encoder.encode(frame) { coded, bytes in
                try ends[coded.layer.rid == layers[0].rid ? 0 : 1].add(coded, bytes)
            }
        }
        for end in ends { try end.finish() }
    }

    init(in folder: String, keySeconds: Int?) throws {
        clips = []
        errors = []
        for (index, layer) in Layers.settings(keySeconds: keySeconds).enumerated() {
            let path = "\(folder)/\(Layers.names[index])"
            clips.append(try CodedLayer(of: layer, ivf: path + ".ivf"))
            let lines = try String(contentsOfFile: path + ".errors", encoding: .utf8).split(separator: "\n")
            errors.append(lines.map { Double($0) ?? .nan })
        }
    }
}

/// Writes a layer's encoded frames, decodes them as a receiver does, and writes their errors.
private final class LayerEnd {
    private let file: IVFWriter
    private let decoder: VPXDecoder
    private let references: References
    private let path: String
    private var errors: [String] = []

    init(_ layer: LayerSettings, _ source: any FrameSource, path: String) throws {
        self.path = path
        file = try IVFWriter(path: path + ".ivf", codec: .vp8, resolution: layer.resolution)
        let settings = ReceiveSettings(jitterBuffer: JitterBufferSettings(payloadType: PayloadType(96)), ssrc: SSRC(1))
        decoder = try VPXDecoder(
            .vp8, poolCapacity: 2, maximumPixelCount: settings.maximumPixelCount,
            damagePolicy: settings.damagePolicy, postProcessing: settings.postProcessing)
        references = try References(source, of: layer)
    }

    func add(_ coded: EncodedFrame, _ bytes: Span<UInt8>) throws {
        try file.consume(coded, payload: bytes)
        guard case .picture(let picture) = try decoder.decode(bytes, captureTime: coded.captureTime) else {
            throw WrongUse("frame \(coded.number) of \(path) is not decoded")
        }
        errors.append("\(try references.error(of: picture, capturedAt: coded.captureTime))")
    }

    func finish() throws {
        try file.finish()
        try (errors.joined(separator: "\n") + "\n").write(toFile: path + ".errors", atomically: true, encoding: .utf8)
    }
}

import Rill
import RillCodec
import RillCore
import RillFiles
import RillLab
import RillSend
import Scenes

extension Material {
    private static let seconds = 10

    /// The clip is too short, or does not have 30 frames per second.
    public struct UnfitClip: Error, CustomStringConvertible {
        /// The clip's path.
        public let path: String
        /// The number of its frames.
        public let frameCount: Int

        /// The number of frames, and the expected one.
        public var description: String {
            "\(path) has \(frameCount) frames; expected ten seconds of 30 frames per second, which are \(30 * seconds)"
        }
    }

    /// Writes all files of the material into an existing folder: from a Y4M clip of 30 frames per second, or from the
    /// drawn portrait at 1280x720.
    public static func prepare(in folder: String, clip path: String? = nil) throws {
        let count = 30 * seconds
        let source: any FrameSource =
            if let path { try Y4MReader(path: path) } else {
                try PortraitScene(resolution: .hd720, frameRate: 30, frameCount: count)
            }
        let resolution = source.format.resolution
        let clip = try Y4MWriter(
            path: "\(folder)/\(File.clip.rawValue)", header: Y4MHeader(resolution: resolution, frameRate: 30))
        let coded = try VideoCodec.allCases.map { try CodedFiles($0, resolution, in: folder) }
        let recording = try PacketRecording(layers(.vp8, resolution)[0], in: folder)
        for index in 0..<count {
            guard case .frame(var frame) = try source.next() else {
                throw UnfitClip(path: path ?? "the portrait", frameCount: index)
            }
            frame.captureTime = FrameRate(30).time(ofFrame: index)
            try recording.add(frame)
            guard index < frameCount else { continue }
            try clip.consume(frame)
            for files in coded { try files.add(frame) }
        }
        try clip.finish()
        try recording.finish()
        for files in coded { try files.finish() }
    }
}

/// Writes both layers of one codec, each to a file.
private final class CodedFiles {
    private let encoder: SimulcastEncoder
    private let files: [StreamLayer.RID: IVFWriter]

    init(_ codec: VideoCodec, _ resolution: Resolution, in folder: String) throws {
        let layers = Material.layers(codec, resolution)
        encoder = try SimulcastEncoder(layers: layers)
        var files: [StreamLayer.RID: IVFWriter] = [:]
        for layer in layers {
            files[layer.rid] = try IVFWriter(
                path: "\(folder)/\(Material.File.coded(codec, layer.rid))", codec: codec, resolution: layer.resolution)
        }
        self.files = files
    }

    func add(_ frame: VideoFrame) throws {
        try encoder.encode(frame) { coded, bytes in try files[coded.layer.rid]?.consume(coded, payload: bytes) }
    }

    func finish() throws {
        for file in files.values { try file.finish() }
    }
}

/// Writes the high layer's encoded frames, and their packets, each with the time of its frame.
private final class PacketRecording {
    private let encoder: SimulcastEncoder
    private let file: IVFWriter
    private let capture: LinkCapture
    private var sender: RTPStreamSender

    init(_ layer: LayerSettings, in folder: String) throws {
        encoder = try SimulcastEncoder(layers: [layer])
        file = try IVFWriter(
            path: "\(folder)/\(Material.File.long.rawValue)", codec: .vp8, resolution: layer.resolution)
        capture = try LinkCapture(path: "\(folder)/\(Material.File.packets.rawValue)")
        var generator = SeededGenerator(seed: 1)
        sender = try RTPStreamSender(
            RTPStreamSettings(payloadType: PayloadType(96), canonicalName: "rill", using: &generator))
    }

    func add(_ frame: VideoFrame) throws {
        let packets = PacketTap { [capture] in capture.add($0, .toReceiver, at: $1) }
        try encoder.encode(frame) { coded, bytes in
            try file.consume(coded, payload: bytes)
            sender.send(coded, payload: bytes, at: coded.captureTime, to: packets)
        }
    }

    func finish() throws {
        try file.finish()
        try capture.finish()
    }
}

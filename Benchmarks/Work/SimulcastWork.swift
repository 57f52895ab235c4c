import Arguments
import Glibc
import Rill
import RillCodec
import RillFiles

/// Only reads a clip, and scales and encodes both layers through `SimulcastEncoder`, for comparison with a bare C loop
/// of the same library calls, `Programs/bare-loop.c`. The output is the same, each encoded frame after its length.
///
///     simulcast --clip C --codec vp8|vp9 --bitrate B --low-bitrate B [--count FRAMES] [--output FILE]
struct SimulcastWork {
    private let clip: Y4MReader
    private let layers: [LayerSettings]
    private let frameCount: Int
    private let output: FrameFile?

    init(_ arguments: Arguments) throws {
        clip = try Y4MReader(path: arguments["clip"])
        let codec = try arguments.codec
        var layers: [LayerSettings] = [
            .high(clip.format.resolution, bitrate: try Bitrate(notation: arguments["bitrate"]), codec: codec),
            .low(codec, bitrate: try Bitrate(notation: arguments["low-bitrate"])),
        ]
        // All blocks, as libvpx's own tools code them.
        for index in layers.indices { layers[index].encoder.skipsStillBlocks = false }
        self.layers = layers
        frameCount = try arguments.number("count") ?? .max
        output = try arguments.optional("output").map(FrameFile.init)
    }

    func run() throws {
        let encoder = try SimulcastEncoder(layers: layers)
        var (high, low, count) = (0, 0, 0)
        while count < frameCount, case .frame(let frame) = try clip.next() {
            count += 1
            try encoder.encode(frame) { coded, bytes in
                if coded.layer.rid == .high { high += bytes.count } else { low += bytes.count }
                try output?.write(bytes)
            }
        }
        try output?.close()
        print("high=\(high) low=\(low)")
    }
}

extension Arguments {
    /// `vp8` or `vp9`.
    var codec: VideoCodec {
        get throws {
            guard let codec = VideoCodec(builtIn: try self["codec"].uppercased()) else {
                throw WrongUse("--codec must be vp8 or vp9")
            }
            return codec
        }
    }
}

extension LayerSettings {
    /// The low layer with another bitrate or frame rate.
    static func low(_ codec: VideoCodec = .vp8, bitrate: Bitrate, rate: Int = 5) -> LayerSettings {
        var low = LayerSettings.low(codec)
        (low.bitrate, low.frameRate) = (bitrate, FrameRate(rate))
        return low
    }

    /// The same, as `45k@5`.
    static func low(notation: String) throws -> LayerSettings {
        let parts = notation.split(separator: "@")
        guard parts.count == 2, let rate = Int(parts[1]), (1...60).contains(rate) else {
            throw WrongUse("\(notation): expected bitrate@rate, as in 45k@5")
        }
        return low(bitrate: try Bitrate(notation: String(parts[0])), rate: rate)
    }
}

/// Writes encoded frames, each after its length in four bytes, least significant first, as the C loop does.
private final class FrameFile {
    private let path: String
    private let file: UnsafeMutablePointer<FILE>

    init(path: String) throws {
        guard let file = fopen(path, "wb") else { throw WrongUse("\(path) cannot be written (errno \(errno))") }
        (self.path, self.file) = (path, file)
    }

    func write(_ payload: Span<UInt8>) throws {
        var length = UInt32(payload.count).littleEndian
        guard fwrite(&length, 1, 4, file) == 4,
            payload.withUnsafeBufferPointer({ fwrite($0.baseAddress, 1, $0.count, file) }) == payload.count
        else { throw WrongUse("\(path) cannot be written (errno \(errno))") }
    }

    func close() throws {
        guard fclose(file) == 0 else { throw WrongUse("\(path) cannot be written (errno \(errno))") }
    }
}

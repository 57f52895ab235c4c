import Glibc
import Rill
import RillCodec
import RillFiles
import RillRTP

/// What `compare encode` measures: reads a clip, scales and encodes both layers through `SimulcastEncoder`, and nothing
/// else.
///
///     simulcast vp8|vp9 CLIP.y4m KBITS LOW_KBITS [FRAMES [OUTPUT]]
///
/// Its arguments and what it writes are those of `BareLoop/bare-loop.c`: `coded high=BYTES low=BYTES`, and in OUTPUT each
/// coded frame behind its length.
@main
struct Simulcast {
    static func main() throws {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            print("usage: simulcast vp8|vp9 CLIP.y4m KBITS LOW_KBITS [FRAMES [OUTPUT]]")
            exit(2)
        }
        let clip = try Y4MReader(path: options.clip)
        let settings = options.layers(for: clip.format.resolution)
        let encoder = try SimulcastEncoder(layers: settings)
        let output = try options.output.map(FrameFile.init)
        var highByteCount = 0
        var lowByteCount = 0

        var frameCount = 0
        while frameCount < options.frameCount, case .frame(let frame) = try clip.next() {
            frameCount += 1
            try encoder.encode(frame) { coded, bytes in
                if coded.layer.rid == .high { highByteCount += bytes.count } else { lowByteCount += bytes.count }
                try output?.write(bytes)
            }
        }
        try output?.close()
        print("coded high=\(highByteCount) low=\(lowByteCount)")
    }
}

/// What stands on the command line.
private struct Options {
    var clip: String
    var codec: VideoCodec
    var bitrate: Bitrate
    var lowBitrate: Bitrate
    var frameCount = Int.max
    var output: String?

    /// `nil` when the arguments are not those that `usage` shows.
    init?(_ arguments: [String]) {
        guard (4...6).contains(arguments.count), let codec = VideoCodec(builtIn: arguments[0].uppercased()),
            let kilobits = Int(arguments[2]), let lowKilobits = Int(arguments[3])
        else { return nil }
        self.codec = codec
        self.clip = arguments[1]
        self.bitrate = .kilobits(kilobits)
        self.lowBitrate = .kilobits(lowKilobits)
        if arguments.count > 4 {
            guard let frameCount = Int(arguments[4]) else { return nil }
            self.frameCount = frameCount
        }
        self.output = arguments.count > 5 ? arguments[5] : nil
    }

    func layers(for resolution: Resolution) -> [LayerSettings] {
        var layers = [LayerSettings.high(resolution, bitrate: bitrate, codec: codec), .low(codec)]
        layers[1].bitrate = lowBitrate
        return layers
    }
}

/// Coded frames, each behind its length in four bytes, least significant first; written as the C loop writes them.
private final class FrameFile {
    struct Failure: Error {
        var path: String
        var code: Int32
    }

    private let path: String
    private let file: UnsafeMutablePointer<FILE>

    init(path: String) throws {
        guard let file = fopen(path, "wb") else { throw Failure(path: path, code: errno) }
        self.path = path
        self.file = file
    }

    func write(_ payload: Span<UInt8>) throws {
        var length = UInt32(payload.count).littleEndian
        guard fwrite(&length, 1, 4, file) == 4,
            payload.withUnsafeBufferPointer({ fwrite($0.baseAddress, 1, $0.count, file) }) == payload.count
        else { throw Failure(path: path, code: errno) }
    }

    func close() throws {
        guard fclose(file) == 0 else { throw Failure(path: path, code: errno) }
    }
}

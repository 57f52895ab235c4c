import Clips
import Rill
import RillCodec
import RillFiles

/// The input of all workloads: pictures, encoded frames and packets, from the files of a folder.
///
/// Encoding takes seconds, and minutes under callgrind, so it is done once, by ``prepare(in:clip:)``. Each part is read
/// when it is first used.
public final class Material {
    /// The files that `prepare` writes.
    enum File: String {
        /// The first frames of the clip.
        case clip = "clip.y4m"
        /// The high layer of ten seconds, and its packets.
        case long = "hd.ivf"
        case packets = "hd.pcap"

        static func coded(_ codec: VideoCodec, _ rid: StreamLayer.RID) -> String {
            "\(codec.rawValue.lowercased())-\(rid).ivf"
        }
    }

    /// The number of frames of the clip.
    static let frameCount = 60

    /// The folder.
    public let folder: String
    /// The size of the clip's pictures.
    public let resolution: Resolution

    /// Opens the material prepared in `folder`.
    public init(folder: String) throws {
        self.folder = folder
        resolution = try Y4MReader(path: "\(folder)/\(File.clip.rawValue)").format.resolution
    }

    func path(_ file: File) -> String { "\(folder)/\(file.rawValue)" }

    /// The clip's pictures.
    private(set) lazy var frames = Result {
        let clip = try Y4MReader(path: path(.clip), capacity: Self.frameCount + 1)
        var frames: [VideoFrame] = []
        while case .frame(let frame) = try clip.next() { frames.append(frame) }
        return frames
    }

    /// One of the clip's pictures.
    func frame(_ index: Int) throws -> VideoFrame { try frames.get()[index] }

    /// The clip's pictures, forwards and backwards without end.
    func pictures() throws -> Pendulum { Pendulum(try frames.get()) }

    /// The low layer's input pictures, forwards and backwards without end.
    func lowPictures() throws -> Pendulum {
        let scaler = try LayerScaler(LayerSettings.low.resolution, capacity: Self.frameCount)
        return Pendulum(try frames.get().compactMap(scaler.fitted))
    }

    /// A pool for one picture of the clip's size.
    func pool(capacity: Int = 1) throws -> FramePool { try FramePool(resolution: resolution, capacity: capacity) }

    /// The clip's encoded frames.
    func coded(_ codec: VideoCodec, _ rid: StreamLayer.RID) throws -> [[UInt8]] {
        let file = try IVFReader(path: "\(folder)/\(File.coded(codec, rid))")
        var (frames, payload): ([[UInt8]], [UInt8]) = ([], [])
        while try file.next(into: &payload) != nil { frames.append(payload) }
        return frames
    }

    /// The packets of ten seconds.
    func packets() throws -> RecordedStream { try RecordedStream(path: path(.packets)) }

    /// Both layers, with their settings for this clip.
    func layers(_ codec: VideoCodec) -> [LayerSettings] { Self.layers(codec, resolution) }

    static func layers(_ codec: VideoCodec, _ resolution: Resolution) -> [LayerSettings] {
        var layers = [
            LayerSettings.high(resolution, bitrate: .suggested(for: resolution, codec: codec), codec: codec),
            .low(codec),
        ]
        // All blocks, as libvpx's own tools code them.
        for index in layers.indices { layers[index].encoder.skipsStillBlocks = false }
        return layers
    }
}

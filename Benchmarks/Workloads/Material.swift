import Clips
import Rill
import RillCodec
import RillFiles

/// What all workloads work on: pictures, the frames that they were coded to, and packets, from the files of a folder.
///
/// Coding them takes seconds, under callgrind minutes, so it is done once, by ``prepare(in:clip:)``. Each part is read when
/// it is first asked for.
public final class Material {
    /// What `prepare` writes.
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

    /// How many frames of the clip are kept.
    static let frameCount = 60

    /// Where it is.
    public let folder: String
    /// The size of the clip's pictures.
    public let resolution: Resolution

    /// What was prepared in `folder`.
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

    /// The clip's pictures, there and back without an end.
    func pictures() throws -> Pendulum { Pendulum(try frames.get()) }

    /// The pictures that the low layer encodes, there and back without an end.
    func lowPictures() throws -> Pendulum {
        let scaler = try LayerScaler(LayerSettings.low.resolution, capacity: Self.frameCount)
        return Pendulum(try frames.get().compactMap(scaler.fitted))
    }

    /// A pool for one picture of the clip's size.
    func pool(capacity: Int = 1) throws -> FramePool { try FramePool(resolution: resolution, capacity: capacity) }

    /// What the clip's frames were coded to.
    func coded(_ codec: VideoCodec, _ rid: StreamLayer.RID) throws -> [[UInt8]] {
        let file = try IVFReader(path: "\(folder)/\(File.coded(codec, rid))")
        var (frames, payload): ([[UInt8]], [UInt8]) = ([], [])
        while try file.next(into: &payload) != nil { frames.append(payload) }
        return frames
    }

    /// The packets of ten seconds.
    func packets() throws -> RecordedStream { try RecordedStream(path: path(.packets)) }

    /// Both layers, as they are sent of this clip.
    func layers(_ codec: VideoCodec) -> [LayerSettings] { Self.layers(codec, resolution) }

    static func layers(_ codec: VideoCodec, _ resolution: Resolution) -> [LayerSettings] {
        [.high(resolution, bitrate: .suggested(for: resolution, codec: codec), codec: codec), .low(codec)]
    }
}

internal import CFFmpeg
public import RillCore

/// A file that ``ContainerSource`` reads, to be opened for ranges of its frames: several threads can decode it side by
/// side, each its own part.
///
///     let clip = try ContainerClip(path: "clip.mp4")
///     let middle = clip.entry(for: clip.format.frameCount! / 2)
///     let halves = [try clip.open(frames: 0..<middle), try clip.open(frames: middle..<Int.max)]
///
/// Making it reads the file's packets once and decodes only the first picture. Where decoding can begin is decided by the
/// packets' own bytes, for H.264, HEVC, VP8, VP9, AV1, MPEG-1 and -2, Motion JPEG, ProRes and some others that code
/// each picture by itself; of all other codecs (MPEG-4 part 2, GIF; FFV1, which patches damage up without a word), and of streams without true key frames, a range is
/// decoded from the beginning. A reading that began in the middle holds every picture against the index; at the first
/// inexactness (damage, a stamp that is not expected) it begins anew from the beginning. So a range is slow at worst.
public struct ContainerClip: RangedSource {
    /// The file.
    public let path: String
    /// Size of the first picture, the rate that most of the clip has, and how many frames the index knows.
    public let format: SourceFormat
    /// Why the file's frames are not known beforehand, and each range is found by decoding from the beginning and
    /// counting; `nil` where they are known.
    public var inexactness: String? { index.inexactness?.description }

    private let index: FrameIndex
    private let track: ContainerInput.VideoTrack
    private let threadCount: Int

    /// Opens a file, decodes its first picture, and reads through its packets.
    ///
    /// - Parameter threadCount: threads of each decoder; 0 takes one for each core. With more than one, whether a decoder
    ///   notices damage is left to chance, and ranges of a damaged clip may differ; ranges run beside each other anyway.
    /// - Throws: ``ContainerError``.
    public init(path: String, threadCount: Int = 1) throws(ContainerError) {
        self.path = path
        self.threadCount = threadCount
        var format = try ContainerSource(path: path, capacity: 1, threadCount: 1).format
        let input = try ContainerInput(path: path)
        track = input.track
        index = FrameIndex(of: input)
        format.frameCount = index.inexactness == nil ? index.stamps.count : nil
        format.frameRate = index.typicalFrameRate(track)
        self.format = format
    }

    /// The nearest frame before, or `frame` itself, at which a decoder can begin.
    public func entry(for frame: Int) -> Int { index.entry(for: frame).frame }

    /// When a frame is shown, counted from the container's beginning.
    public func time(ofFrame frame: Int) -> MediaTime? {
        guard index.stamps.indices.contains(frame) else { return nil }
        return track.time(ofStamp: index.stamps[frame])
    }

    /// Opens the file for a range of its frames.
    ///
    /// - Throws: ``ContainerError``.
    public func open(frames: Range<Int>, capacity: Int) throws -> any FrameSource {
        precondition(frames.lowerBound >= 0, "frames count from 0, not from \(frames.lowerBound)")
        return try ContainerSource(
            path: path, frames: frames, index, format, capacity: capacity, threadCount: threadCount)
    }
}

extension FrameIndex {
    /// The rate that most of the pictures have; where the index does not know them, the one that the container claims.
    func typicalFrameRate(_ track: ContainerInput.VideoTrack) -> FrameRate? {
        .typical(of: stamps.map(track.time(ofStamp:)), claimed: track.frameRate) ?? track.frameRate
    }

    /// More packets are not indexed: a day at 46 frames a second, 64 MiB.
    private static let packetLimit = 4_000_000

    /// Reads all packets of a file that was just opened. Where it cannot be read on, it ends.
    init(of input: ContainerInput) {
        var finder = EntryFinder(unsafe EntryFinder.Codec(input.parameters))
        var packets: [Packet] = []
        var isFirst = true
        // Each packet is the input's until the closure returns.
        while packets.count <= Self.packetLimit,
            case .packet = unsafe input.next({ packet in
                unsafe packets.append(Packet(packet, &finder, isFirst: isFirst))
                isFirst = false
            })
        {}
        self = packets.count > Self.packetLimit ? FrameIndex(limit: Self.packetLimit) : FrameIndex(packets)
    }
}

extension FrameIndex.Packet {
    @unsafe
    fileprivate init(_ packet: UnsafeMutablePointer<AVPacket>, _ finder: inout EntryFinder, isFirst: Bool) {
        if unsafe !isFirst && changesParameters(packet) { finder.noteChange() }
        let flags = unsafe packet.pointee.flags
        let size = unsafe max(0, Int(packet.pointee.size))
        var finding = EntryFinder.Finding(isClean: false, isShown: true)
        if let data = unsafe packet.pointee.data {
            let bytes = unsafe Span(_unsafeStart: data, count: size)
            finding = finder.look(at: bytes, isMarkedAsKey: flags & AV_PKT_FLAG_KEY != 0)
        }
        let pts = unsafe packet.pointee.pts
        stamp = pts == CFFmpeg_no_time ? nil : pts
        isShown = finding.isShown && flags & AV_PKT_FLAG_DISCARD == 0
        isClean = finding.isClean && flags & AV_PKT_FLAG_CORRUPT == 0
    }
}

/// Whether the container gives the decoder something with a packet that those behind it need too.
@unsafe
private func changesParameters(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    let kinds = [AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_DATA_PARAM_CHANGE, AV_PKT_DATA_PALETTE]
    return kinds.contains { unsafe av_packet_get_side_data(packet, $0, nil) != nil }
}

extension EntryFinder.Codec {
    @unsafe
    fileprivate init(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        let size = unsafe Int(parameters.pointee.extradata_size)
        let data = unsafe parameters.pointee.extradata
        /// The byte of an avcC or hvcC box that says how long lengths are; without a box start codes part the units.
        func lengthSize(at index: Int) -> Int? {
            guard let data = unsafe data, index < size, unsafe data[0] == 1 else { return nil }
            return unsafe Int(data[index] & 3) + 1
        }
        self =
            switch unsafe parameters.pointee.codec_id {
            case AV_CODEC_ID_H264: .h264(lengthSize: lengthSize(at: 4))
            case AV_CODEC_ID_HEVC: .hevc(lengthSize: lengthSize(at: 21))
            case AV_CODEC_ID_VP8: .vp8
            case AV_CODEC_ID_VP9: .vp9
            case AV_CODEC_ID_AV1: .av1
            case AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO: .mpegVideo
            case AV_CODEC_ID_MJPEG: .jpeg
            case AV_CODEC_ID_RAWVIDEO, AV_CODEC_ID_PRORES, AV_CODEC_ID_DNXHD, AV_CODEC_ID_UTVIDEO,
                AV_CODEC_ID_PNG:
                .independent
            default: .other
            }
    }
}

extension FrameIndex.Inexactness: CustomStringConvertible {
    var description: String {
        switch self {
        case .missingStamp(let packet): "packet \(packet) does not say when it is shown"
        case .equalStamps(let stamp): "two packets are shown at the same time, \(stamp)"
        case .tooManyPackets(let limit): "there are more than \(limit) packets"
        }
    }
}

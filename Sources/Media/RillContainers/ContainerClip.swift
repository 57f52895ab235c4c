internal import CFFmpeg
public import RillCore
import RillRTP

/// A container file that can be opened for ranges of its frames, so that several threads can decode it in parallel.
///
/// ```swift
/// let clip = try ContainerClip(path: "clip.mp4")
/// let middle = clip.entry(for: clip.format.frameCount! / 2)
/// let halves = [try clip.open(frames: 0..<middle), try clip.open(frames: middle..<Int.max)]
/// ```
///
/// Creating it reads the file's packets once and decodes only the first picture. The packets' own bytes determine
/// where decoding can start. This is supported for H.264, HEVC, VP8, VP9, AV1, MPEG-1 and -2, Motion JPEG, ProRes and
/// some others that code each picture independently. A range is decoded from the start of the file for all other
/// codecs (MPEG-4 part 2, GIF; FFV1, which conceals damage silently), and for streams without true key frames.
///
/// A reading that starts in the middle compares every picture with the index. At the first mismatch (damage, an
/// unexpected timestamp) it restarts from the start of the file. So at worst a range is slow.
public struct ContainerClip: RangedSource {
    /// The file.
    public let path: String
    /// The size of the first picture, the typical frame rate, and the number of frames in the index.
    public var format: SourceFormat { start.format }
    /// Why the file's frames are not known in advance, so that each range is found by decoding from the start and
    /// counting; `nil` if they are known.
    public var inexactness: String? { index.inexactness?.description }

    private let start: ContainerSource.Start
    private let index: FrameIndex
    private let track: ContainerInput.VideoTrack
    private let threadCount: Int

    /// Opens a file, decodes its first picture, and reads its packets.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - threadCount: the number of threads per decoder; 0 uses one per core. With more than one, it is up to
    ///     chance whether a decoder notices damage, and ranges of a damaged clip may differ. Ranges are read in
    ///     parallel anyway.
    /// - Throws: ``ContainerError``.
    public init(path: String, threadCount: Int = 1) throws(ContainerError) {
        self.path = path
        self.threadCount = threadCount
        var start = try ContainerSource(path: path, capacity: 1, threadCount: 1).start
        let input = try ContainerInput(path: path)
        track = input.track
        index = FrameIndex(of: input)
        start.format.frameCount = index.inexactness == nil ? index.timestamps.count : nil
        start.format.frameRate = index.typicalFrameRate(track)
        self.start = start
    }

    /// Returns the last frame at or before `frame` at which a decoder can start.
    public func entry(for frame: Int) -> Int { index.entry(for: frame).frame }

    /// Returns when a frame is shown, relative to the start of the container.
    public func time(ofFrame frame: Int) -> MediaTime? {
        guard index.timestamps.indices.contains(frame) else { return nil }
        return track.time(ofStamp: index.timestamps[frame])
    }

    /// Opens the file for a range of its frames.
    ///
    /// - Parameters:
    ///   - frames: the range. It may be empty but not negative; frames beyond the end are left out.
    ///   - capacity: how many pictures may be in use downstream at once.
    /// - Throws: ``ContainerError``.
    public func open(frames: Range<Int>, capacity: Int) throws -> any FrameSource {
        precondition(frames.lowerBound >= 0, "frames count from 0, not from \(frames.lowerBound)")
        return try ContainerSource(
            path: path, frames: frames, index, start, capacity: capacity, threadCount: threadCount)
    }
}

extension FrameIndex {
    /// Returns the typical rate of the pictures, or the container's rate if the index does not know the pictures.
    func typicalFrameRate(_ track: ContainerInput.VideoTrack) -> FrameRate? {
        .typical(of: timestamps.map(track.time(ofStamp:)), claimed: track.frameRate) ?? track.frameRate
    }

    /// The maximum number of indexed packets: a day at 46 frames per second, 64 MiB.
    private static let packetLimit = 4_000_000

    /// Reads all packets of a file that was just opened. The index ends where the file cannot be read further.
    init(of input: ContainerInput) {
        var finder = EntryFinder(unsafe EntryFinder.Codec(input.parameters))
        var packets: [Packet] = []
        var isFirst = true
        // Each packet belongs to the input until the closure returns.
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

/// Whether a packet carries decoder parameters from the container that later packets also need.
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
        /// Returns the length size from an avcC or hvcC box; `nil` without a box, where start codes separate the
        /// units.
        func lengthSize(at index: Int) -> Int? {
            guard let data = unsafe data, index < size, unsafe data[0] == 1 else { return nil }
            return unsafe Int(data[index] & 3) + 1
        }
        self =
            switch unsafe parameters.pointee.codec_id {
            case AV_CODEC_ID_H264: .h264(lengthSize: lengthSize(at: 4))
            case AV_CODEC_ID_HEVC: .hevc(lengthSize: lengthSize(at: 21))
            case AV_CODEC_ID_AV1: .av1
            case AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO: .mpegVideo
            case AV_CODEC_ID_MJPEG: .jpeg
            case AV_CODEC_ID_RAWVIDEO, AV_CODEC_ID_PRORES, AV_CODEC_ID_DNXHD, AV_CODEC_ID_UTVIDEO,
                AV_CODEC_ID_PNG:
                .independent
            case let codec: CodecTraits.contained(codec).map { .builtIn($0.codec) } ?? .other
            }
    }
}

extension FrameIndex.Inexactness: CustomStringConvertible {
    var description: String {
        switch self {
        case .missingTimestamp(let packet): "packet \(packet) has no timestamp"
        case .equalTimestamps(let stamp): "two packets have the same timestamp, \(stamp)"
        case .tooManyPackets(let limit): "there are more than \(limit) packets"
        }
    }
}

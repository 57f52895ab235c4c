public import RillCodec
public import RillCore
import RillFiles

/// The coded frames of one layer, kept in memory: what a call without an encoder sends.
///
///     var clip = CodedClip(of: layer)
///     try encoder.encode(picture) { clip.append($0, $1) }
///
/// As long as nobody asks for a key frame, an encoder makes the same frames in every call, so one clip serves any number
/// of them.
public struct CodedClip: Sendable {
    /// The layer whose frames these are.
    public let layer: LayerSettings
    private var frames: [Frame] = []
    private var bytes: [UInt8] = []
    private var firstKey: Int?
    /// How often the frames are played, and how long once takes.
    private var rounds = 1
    private var roundLength = MediaDuration.zero

    private struct Frame {
        var description: EncodedFrame
        var start: Int
    }

    /// A clip without frames.
    public init(of layer: LayerSettings) {
        self.layer = layer
    }

    /// A clip read from an IVF file; of VP8 without temporal layers, which needs nothing that IVF does not say.
    ///
    /// - Throws: ``FileError``.
    public init(of layer: LayerSettings, ivf path: String) throws(FileError) {
        self.init(of: layer)
        let reader = try IVFReader(path: path)
        var payload: [UInt8] = []
        while let frame = try reader.next(into: &payload) {
            guard let first = payload.first else { continue }
            // RFC 6386 §9.1: the lowest bit of a frame is 0 if it is a key frame.
            let isKey = first & 1 == 0
            let number = Int64(count)
            append(
                EncodedFrame(
                    codec: .vp8, layer: StreamLayer(rid: layer.rid), number: number,
                    references: isKey ? FrameReferences() : FrameReferences(number - 1), isKey: isKey,
                    resolution: layer.resolution, captureTime: frame.time, byteCount: payload.count),
                payload.span)
        }
    }

    /// How many frames there are.
    public var count: Int { frames.count * rounds }

    /// The clip played over and over, in the memory of one; it has to begin with a key frame.
    public func repeated(_ times: Int) -> CodedClip {
        precondition(rounds == 1 && firstKey == 0 && times > 0, "a clip is repeated once, from a key frame on")
        var clip = self
        clip.rounds = times
        clip.roundLength = layer.frameRate.time(ofFrame: frames.count) - .zero
        return clip
    }

    /// Appends a frame; its bytes are copied. Numbers and capture times have to rise.
    public mutating func append(_ frame: EncodedFrame, _ payload: Span<UInt8>) {
        precondition(rounds == 1, "frames are appended before the clip is repeated")
        if frame.isKey, firstKey == nil { firstKey = frames.count }
        frames.append(Frame(description: frame, start: bytes.count))
        bytes.append(copying: payload)
    }

    /// What is known of frame `index`.
    public func description(of index: Int) -> EncodedFrame {
        let (round, place) = index.quotientAndRemainder(dividingBy: frames.count)
        var description = frames[place].description
        guard round > 0 else { return description }
        description.captureTime += roundLength * round
        description.number += Int64(round * frames.count)
        var references = FrameReferences()
        for index in 0..<description.references.count {
            references.append(description.references[index] + Int64(round * frames.count))
        }
        description.references = references
        return description
    }

    /// Calls `body` with the bytes of frame `index`.
    public func withPayload<Result>(of index: Int, _ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        let place = index % frames.count
        let end = place + 1 < frames.count ? frames[place + 1].start : bytes.count
        let all = bytes
        return try body(all.span.extracting(frames[place].start..<end))
    }

    /// The first key frame in the place of frame `index`: what stands in for a key frame that somebody asks for.
    func keyFrame(inPlaceOf index: Int) -> (description: EncodedFrame, payload: Int)? {
        guard let firstKey else { return nil }
        let replaced = description(of: index)
        var description = frames[firstKey].description
        description.number = replaced.number
        description.captureTime = replaced.captureTime
        return (description, firstKey)
    }
}

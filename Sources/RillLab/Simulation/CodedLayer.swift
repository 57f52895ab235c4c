public import RillCodec
public import RillCore
public import RillFiles

/// The coded frames of one layer, kept in memory: what a call without an encoder sends.
///
///     var layer = CodedLayer(of: settings)
///     try encoder.encode(picture) { layer.append($0, $1) }
///
/// As long as nobody asks for a key frame, an encoder makes the same frames in every call, so one layer coded once
/// serves any number of them.
public struct CodedLayer: Sendable {
    /// How they were coded.
    public let settings: LayerSettings
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

    /// A layer without frames.
    public init(of settings: LayerSettings) {
        self.settings = settings
    }

    /// The frames of an IVF file; of VP8 without temporal layers, which needs nothing that IVF does not say.
    ///
    /// - Throws: ``FileError``.
    public init(of settings: LayerSettings, ivf path: String) throws(FileError) {
        self.init(of: settings)
        let reader = try IVFReader(path: path)
        var payload: [UInt8] = []
        while let frame = try reader.next(into: &payload) {
            guard let first = payload.first else { continue }
            // RFC 6386 §9.1: the lowest bit of a frame is 0 if it is a key frame.
            let isKey = first & 1 == 0
            let number = Int64(count)
            append(
                EncodedFrame(
                    codec: .vp8, layer: StreamLayer(rid: settings.rid), number: number,
                    references: isKey ? FrameReferences() : FrameReferences(number - 1), isKey: isKey,
                    resolution: settings.resolution, captureTime: frame.time, byteCount: payload.count),
                payload.span)
        }
    }

    /// How many frames there are.
    public var count: Int { frames.count * rounds }

    /// The frames over and over, in the memory of once; they have to begin with a key frame.
    public func repeated(_ times: Int) -> CodedLayer {
        precondition(rounds == 1 && firstKey == 0 && times > 0, "frames are repeated once, from a key frame on")
        var repeated = self
        repeated.rounds = times
        repeated.roundLength = settings.frameRate.time(ofFrame: frames.count) - .zero
        return repeated
    }

    /// Appends a frame; its bytes are copied. Numbers and capture times have to rise.
    public mutating func append(_ frame: EncodedFrame, _ payload: Span<UInt8>) {
        precondition(rounds == 1, "frames are appended before they are repeated")
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

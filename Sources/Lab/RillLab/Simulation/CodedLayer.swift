public import RillCodec
public import RillCore
public import RillFiles
import RillRTP

/// The encoded frames of one layer, kept in memory: a call without an encoder sends them.
///
/// ```swift
/// var layer = CodedLayer(of: settings)
/// try encoder.encode(picture) { layer.append($0, $1) }
/// ```
///
/// Without key frame requests an encoder makes the same frames in every call, so one encoded layer serves any number
/// of calls.
public struct CodedLayer: Sendable {
    /// The settings that they were encoded with.
    public let settings: LayerSettings
    private var frames: [Frame] = []
    private var bytes: [UInt8] = []
    private var firstKey: Int?
    /// The number of repetitions, and the duration of one.
    private var rounds = 1
    private var roundLength = MediaDuration.zero

    private struct Frame {
        var description: EncodedFrame
        var start: Int
    }

    /// Creates a layer without frames.
    public init(of settings: LayerSettings) {
        self.settings = settings
    }

    /// Creates a layer from an IVF file without temporal layers, which needs no information beyond IVF.
    ///
    /// - Parameters:
    ///   - settings: the settings that the frames were encoded with.
    ///   - path: the IVF file.
    /// - Throws: ``/RillFiles/FileError``.
    public init(of settings: LayerSettings, ivf path: String) throws(FileError) {
        self.init(of: settings)
        let reader = try IVFReader(path: path)
        var payload: [UInt8] = []
        while let frame = try reader.next(into: &payload) {
            guard !payload.isEmpty else { continue }
            let isKey = reader.header.codec.traits?.video?.start(payload.span).isKey ?? false
            let number = Int64(count)
            append(
                EncodedFrame(
                    codec: reader.header.codec, layer: StreamLayer(rid: settings.rid), number: number,
                    references: isKey ? FrameReferences() : FrameReferences(number - 1), isKey: isKey,
                    resolution: settings.resolution, captureTime: frame.time, byteCount: payload.count),
                payload.span)
        }
    }

    /// The number of frames, including repetitions.
    public var count: Int { frames.count * rounds }

    /// Returns a layer that repeats the frames, without more memory; they must start with a key frame.
    public func repeated(_ times: Int) -> CodedLayer {
        precondition(rounds == 1 && firstKey == 0 && times > 0, "frames are repeated once, from a key frame on")
        var repeated = self
        repeated.rounds = times
        repeated.roundLength = settings.frameRate.time(ofFrame: frames.count) - .zero
        return repeated
    }

    /// Appends a frame; its bytes are copied. Numbers and capture times must rise.
    public mutating func append(_ frame: EncodedFrame, _ payload: Span<UInt8>) {
        precondition(rounds == 1, "frames are appended before they are repeated")
        if frame.isKey, firstKey == nil { firstKey = frames.count }
        frames.append(Frame(description: frame, start: bytes.count))
        bytes.append(copying: payload)
    }

    /// Returns the description of frame `index`.
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

    /// Returns the first key frame with the number and time of frame `index`: it replaces a requested key frame.
    func keyFrame(inPlaceOf index: Int) -> (description: EncodedFrame, payload: Int)? {
        guard let firstKey else { return nil }
        let replaced = description(of: index)
        var description = frames[firstKey].description
        description.number = replaced.number
        description.captureTime = replaced.captureTime
        return (description, firstKey)
    }
}

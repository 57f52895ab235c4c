public import RillCodec
public import RillCore
public import RillImage

/// A source that shows what coding does to pictures, four in one:
///
/// | left | right |
/// |---|---|
/// | the picture to code | the picture that decoders show |
/// | the coded macroblocks in color, the still ones dark | the error of all planes, ten times as large, around gray |
///
/// It codes in real time, as a ``Transcoder`` does, to the same bytes; but also pictures of a screen that stay the
/// same, which that leaves out. One owner, one thread at a time.
public final class CodingComparison: FrameSource {
    /// The format of the wrapped source, at twice the layer's width and height.
    public let format: SourceFormat
    /// The coding of the last returned picture; `nil` before the first.
    public private(set) var newest: CodedPicture?
    /// How the pictures are coded.
    public let layer: LayerSettings
    private let source: any FrameSource
    private let encoder: VPXEncoder
    private let decoder: VPXDecoder
    private let scaler: LayerScaler
    private let pool: FramePool
    private let size: Resolution
    /// The picture that decoders show.
    private var shown: VideoFrame?

    /// How many times as large errors are shown.
    public static let errorFactor = 10

    /// Creates a comparison.
    ///
    /// - Parameters:
    ///   - source: the pictures to code, of any size. All are coded; the layer's frame rate is the expected one.
    ///   - layer: how they are coded. Its effort must be `.realtime`: an encoder with lookahead holds pictures back.
    ///   - capacity: how many pictures may be in use downstream at once.
    /// - Throws: ``/RillCodec/CodecError`` for settings that cannot be, ``/RillCore/FrameError`` if there is no memory.
    public init(_ source: any FrameSource, layer: LayerSettings, capacity: Int = 8) throws {
        precondition(layer.encoder.effort == .realtime, "a comparison codes in real time")
        try layer.validate()
        self.layer = layer
        size = layer.resolution
        let (width, height) = (4 * size.chroma.width, 4 * size.chroma.height)
        guard let whole = Resolution(validatingWidth: width, height: height) else {
            throw CodecError.invalidSettings("four pictures of \(size) are too large for one of \(width)x\(height)")
        }
        format = SourceFormat(
            resolution: whole, frameRate: source.format.frameRate, frameCount: source.format.frameCount)
        self.source = I420Source(source, capacity: 2)
        encoder = try VPXEncoder(
            layer.encoder, layer: StreamLayer(rid: layer.rid), resolution: size, frameRate: layer.frameRate,
            bitrate: layer.bitrate)
        // One is shown while the next is decoded.
        decoder = try VPXDecoder(layer.encoder.codec, poolCapacity: 2)
        scaler = try LayerScaler(size, aspect: layer.aspect, capacity: 1)
        pool = try FramePool(resolution: whole, capacity: capacity)
    }

    /// Codes the next picture, and returns the four.
    ///
    /// - Throws: an error of the source, or ``/RillCodec/CodecError``.
    public func next() throws -> SourceOutput {
        // The buffer comes first: a picture that was read cannot be read again.
        guard var whole = pool.makeFrame() else { return .noBuffer }
        let output = try source.next()
        guard case .frame(let frame) = output else { return output }
        guard let picture = scaler.fitted(frame) else { preconditionFailure("the scaled picture before is in use") }
        newest = try code(picture)
        guard let shown else { preconditionFailure("the first picture is always coded and shown") }
        var planes = whole.planes
        planes.fill(gray: 16)
        let (x, y) = (2 * size.chroma.width, 2 * size.chroma.height)
        planes.paste(picture, x: 0, y: 0)
        planes.paste(shown, x: x, y: 0)
        planes.paste(picture, x: 0, y: y)
        darkenStillBlocks(below: y, in: &planes)
        pasteError(of: shown, from: picture, x: x, y: y, into: &planes)
        return .frame(whole.finish(captureTime: picture.captureTime, colorSpace: picture.colorSpace))
    }

    private func code(_ picture: VideoFrame) throws -> CodedPicture {
        let skipped = encoder.statistics.stillBlocksSkipped
        var coded: (byteCount: Int, isKeyFrame: Bool)?
        let outcome = try encoder.encode(picture) { frame, payload in
            coded = (payload.count, frame.isKey)
            if case .picture(let picture) = try decoder.decode(payload, captureTime: frame.captureTime) {
                shown = picture
            }
        }
        guard let shown else { preconditionFailure("the first picture is always coded and shown") }
        var quantizer: Int?
        if case .coded(let index) = outcome { quantizer = index }
        return CodedPicture(
            captureTime: picture.captureTime, byteCount: coded?.byteCount ?? 0,
            isKeyFrame: coded?.isKeyFrame ?? false, quantizer: quantizer,
            blockCount: ((size.width + 15) / 16) * ((size.height + 15) / 16),
            stillBlockCount: encoder.statistics.stillBlocksSkipped - skipped,
            difference: PictureDifference(between: shown, and: picture))
    }

    /// Shows the macroblocks that were left out at a third of their luma, and gray.
    private func darkenStillBlocks(below top: Int, in planes: inout MutablePlanes) {
        let map = encoder.activeMap
        guard !map.isEmpty else { return }
        let columns = (size.width + 15) / 16
        for line in 0..<size.height {
            var row = planes.y.row(top + line)
            for x in 0..<size.width where map[line / 16 * columns + x / 16] == 0 {
                row[x] = 16 + (max(row[x], 16) - 16) / 3
            }
        }
        for line in 0..<size.chroma.height {
            let first = line / 8 * columns
            var u = planes.u.row(top / 2 + line)
            for x in 0..<size.chroma.width where map[first + x / 8] == 0 { u[x] = 128 }
            var v = planes.v.row(top / 2 + line)
            for x in 0..<size.chroma.width where map[first + x / 8] == 0 { v[x] = 128 }
        }
    }

    private func pasteError(
        of shown: VideoFrame, from picture: VideoFrame, x: Int, y: Int, into planes: inout MutablePlanes
    ) {
        Self.pasteError(of: shown.y, from: picture.y, around: 126, x: x, y: y, into: &planes.y)
        Self.pasteError(of: shown.u, from: picture.u, around: 128, x: x / 2, y: y / 2, into: &planes.u)
        Self.pasteError(of: shown.v, from: picture.v, around: 128, x: x / 2, y: y / 2, into: &planes.v)
    }

    private static func pasteError(
        of shown: borrowing Plane, from picture: borrowing Plane, around gray: Int, x: Int, y: Int,
        into plane: inout MutablePlane
    ) {
        for line in 0..<picture.height {
            let (after, before) = (shown.row(line), picture.row(line))
            var row = plane.row(y + line)
            for column in 0..<picture.width {
                let error = Int(after[column]) - Int(before[column])
                row[x + column] = UInt8(min(235, max(16, gray + errorFactor * error)))
            }
        }
    }
}

/// The coding of a picture of a ``CodingComparison``.
public struct CodedPicture: Sendable {
    /// The capture time of the picture.
    public let captureTime: MediaTime
    /// The coded bytes; 0 if the rate control dropped the picture.
    public let byteCount: Int
    /// Whether it is a key frame.
    public let isKeyFrame: Bool
    /// The quantizer index, 0 to 127 for VP8, 0 to 255 for VP9; `nil` for a dropped picture.
    public let quantizer: Int?
    /// The macroblocks of the picture.
    public let blockCount: Int
    /// Those of them that were left out because they stood still; see
    /// ``/RillCore/EncoderSettings/skipsStillBlocks``.
    public let stillBlockCount: Int
    /// The difference between what decoders show and the picture.
    public let difference: PictureDifference
}

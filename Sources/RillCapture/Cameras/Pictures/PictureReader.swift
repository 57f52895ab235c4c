import RillCore
import RillImage

/// Why a frame of a camera was not passed on.
public enum FrameFault: Hashable, Sendable {
    /// The driver marked its data as damaged.
    case flagged
    /// It has fewer bytes than a picture.
    case short(byteCount: Int, expected: Int)
    /// Its JPEG is damaged.
    case damagedJPEG(JPEGDamage)
    /// Its JPEG is none, or of a kind or size that was not agreed on.
    case notDecodable
}

/// Reads the pictures of a stream into frames of the pipeline: I420 in limited range.
///
/// Raw pictures are converted in one pass, straight from the driver's memory into the frame; JPEG is decoded into it.
/// Single owner.
final class PictureReader {
    private let layout: PictureLayout
    private let jpeg: JPEGReader?
    /// A row of chroma, for formats whose chroma has as many rows as their luma.
    private var row: [UInt8] = []

    /// - Throws: ``CameraError/noJPEGDecoder``.
    init(_ layout: PictureLayout) throws(CameraError) {
        self.layout = layout
        guard layout.format == .mjpeg else {
            jpeg = nil
            return
        }
        guard let jpeg = JPEGReader(layout.resolution) else { throw .noJPEGDecoder }
        self.jpeg = jpeg
    }

    /// Fills `frame`, which has the picture's size; what is wrong with the picture, if something is.
    func read(
        _ first: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>, into frame: inout MutableFrame
    ) -> FrameFault? {
        if let jpeg { return jpeg.read(first, into: &frame) }
        for (buffer, count) in [first.count, second.count, third.count].enumerated() {
            let expected = layout.byteCount(buffer: buffer)
            guard count >= expected else { return .short(byteCount: count, expected: expected) }
        }
        func plane(_ index: Int) -> PictureLayout.Plane { layout.planes[index] }
        switch layout.format {
        case .yuyv: frame.fill(fromPacked: view(0, first, second, third), .yuyv)
        case .uyvy: frame.fill(fromPacked: view(0, first, second, third), .uyvy)
        case .yvyu: frame.fill(fromPacked: view(0, first, second, third), .yvyu)
        case .i420:
            frame.fill(
                fromPlanar: view(0, first, second, third), u: view(1, first, second, third),
                v: view(2, first, second, third))
        case .yv12:
            frame.fill(
                fromPlanar: view(0, first, second, third), u: view(2, first, second, third),
                v: view(1, first, second, third))
        case .nv12, .nv21:
            frame.fill(
                fromLuma: view(0, first, second, third), interleaved: view(1, first, second, third),
                isVFirst: layout.format == .nv21)
        case .nv16:
            frame.fill(
                fromLuma: view(0, first, second, third), tallInterleaved: view(1, first, second, third), using: &row)
        case .rgb24: frame.fill(fromRGB: view(0, first, second, third), isBlueFirst: false)
        case .bgr24: frame.fill(fromRGB: view(0, first, second, third), isBlueFirst: true)
        case .grey: frame.fill(fromGrey: view(0, first, second, third))
        case .mjpeg: preconditionFailure("JPEG has a reader of its own")
        }
        if layout.colorSpace.range == .full { frame.reduceToLimitedRange() }
        return nil
    }

    /// One plane of the picture, in the buffer that has it; all were checked to be long enough.
    @_lifetime(copy first, copy second, copy third)
    private func view(_ index: Int, _ first: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>) -> Plane {
        let plane = layout.planes[index]
        let bytes = plane.buffer == 0 ? first : plane.buffer == 1 ? second : third
        return Plane(
            bytes: bytes.extracting(plane.offset..<plane.end), stride: plane.stride, width: plane.width,
            height: plane.height)
    }
}

extension FrameFault: CustomStringConvertible {
    /// A few words for people.
    public var description: String {
        switch self {
        case .flagged: "the driver says that it is damaged"
        case .short(let byteCount, let expected): "\(byteCount) bytes of \(expected)"
        case .damagedJPEG(let damage): "a damaged JPEG (\(damage))"
        case .notDecodable: "no JPEG of its kind and size"
        }
    }
}

import RillCore
import RillImage

/// Why a camera's frame was dropped.
public enum FrameFault: Hashable, Sendable {
    /// The driver marked its data as damaged.
    case flagged
    /// It has fewer bytes than a whole picture.
    case short(byteCount: Int, expected: Int)
    /// Its JPEG is damaged.
    case damagedJPEG(JPEGDamage)
    /// It is not a JPEG, or not of the agreed kind and size.
    case notDecodable
}

/// Converts a camera's pictures to the pipeline's frames: I420 in limited range.
///
/// Raw pictures are converted in one pass, straight from the driver's memory into the frame. JPEG is decoded into the
/// frame. Single owner.
final class PictureReader {
    private let layout: PictureLayout
    private let jpeg: JPEGReader?
    /// One row of chroma, for formats whose chroma has as many rows as luma.
    private var row: [UInt8] = []

    /// Creates a reader for pictures of that layout.
    ///
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

    /// Fills `frame`, which must have the picture's size. Returns the picture's fault, or `nil` if it is valid.
    func read(
        _ first: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>, into frame: inout MutableFrame
    ) -> FrameFault? {
        if let jpeg { return jpeg.read(first, into: &frame) }
        for (buffer, count) in [first.count, second.count, third.count].enumerated() {
            let expected = layout.byteCount(buffer: buffer)
            guard count >= expected else { return .short(byteCount: count, expected: expected) }
        }
        let (y, u, v) = (
            view(0, first, second, third), view(1, first, second, third), view(2, first, second, third)
        )
        switch layout.format {
        case .yuyv: frame.fill(fromPacked: y, .yuyv)
        case .uyvy: frame.fill(fromPacked: y, .uyvy)
        case .yvyu: frame.fill(fromPacked: y, .yvyu)
        case .i420: frame.fill(fromPlanar: y, u: u, v: v)
        case .yv12: frame.fill(fromPlanar: y, u: v, v: u)
        case .nv12, .nv21: frame.fill(fromLuma: y, interleaved: u, isVFirst: layout.format == .nv21)
        case .nv16: frame.fill(fromLuma: y, tallInterleaved: u, using: &row)
        case .rgb24: frame.fill(fromRGB: y, isBlueFirst: false)
        case .bgr24: frame.fill(fromRGB: y, isBlueFirst: true)
        case .grey: frame.fill(fromGrey: y)
        case .mjpeg: preconditionFailure("JPEG has its own reader")
        }
        if layout.colorSpace.range == .full { frame.reduceToLimitedRange() }
        return nil
    }

    /// A view of one plane of the picture in its buffer; of the last one if there are fewer. All buffers were checked
    /// to be long enough.
    @_lifetime(copy first, copy second, copy third)
    private func view(_ index: Int, _ first: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>) -> Plane {
        let plane = layout.planes[min(index, layout.planes.count - 1)]
        let bytes = plane.buffer == 0 ? first : plane.buffer == 1 ? second : third
        return Plane(
            bytes: bytes.extracting(plane.offset..<plane.end), stride: plane.stride, width: plane.width,
            height: plane.height)
    }
}

extension FrameFault: CustomStringConvertible {
    /// A short description for people.
    public var description: String {
        switch self {
        case .flagged: "the driver marked it as damaged"
        case .short(let byteCount, let expected): "\(byteCount) bytes of \(expected)"
        case .damagedJPEG(let damage): "a damaged JPEG (\(damage))"
        case .notDecodable: "not a JPEG of the agreed kind and size"
        }
    }
}

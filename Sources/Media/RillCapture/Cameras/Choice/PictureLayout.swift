import RillCore

/// The arrangement of a raw picture's bytes in a camera's buffers.
struct PictureLayout: Hashable, Sendable {
    var format: CameraPixelFormat
    var resolution: Resolution
    /// The color space of the camera's samples. The pipeline's frames are in limited range.
    var colorSpace: ColorSpace
    /// The position of each plane: its buffer, offset and stride.
    private(set) var planes: [Plane]

    struct Plane: Hashable, Sendable {
        var buffer: Int
        var offset: Int
        var stride: Int
        /// Bytes of samples in a row.
        var width: Int
        var height: Int

        /// The minimum size in bytes of its buffer.
        var end: Int { offset + (height - 1) * stride + width }
    }

    /// Creates a layout.
    ///
    /// - Parameters:
    ///   - format: the pixel format.
    ///   - arrangement: how the planes are spread over buffers.
    ///   - resolution: the size in pixels.
    ///   - strides: bytes from row to row in each buffer; 0, or less than a row, if the driver does not report it.
    ///   - colorSpace: the color space of the samples.
    init(
        _ format: CameraPixelFormat, _ arrangement: CameraPixelFormat.Arrangement, _ resolution: Resolution,
        strides: [Int], colorSpace: ColorSpace
    ) {
        self.format = format
        self.resolution = resolution
        self.colorSpace = colorSpace
        planes = []
        var offset = 0
        let sizes = format.planeSizes(resolution)
        for (index, size) in sizes.enumerated() {
            let buffer = arrangement == .oneBuffer ? 0 : index
            var stride = strides.indices.contains(buffer) ? strides[buffer] : 0
            // For one buffer the driver reports the stride of luma; that of chroma is proportional.
            if arrangement == .oneBuffer, index > 0, sizes.count == 3 { stride /= 2 }
            stride = max(stride, size.width)
            planes.append(
                Plane(
                    buffer: buffer, offset: arrangement == .oneBuffer ? offset : 0, stride: stride, width: size.width,
                    height: size.height))
            offset += stride * size.height
        }
    }

    /// Returns the minimum size in bytes of a buffer for a whole picture; 0 for JPEG, whose size varies.
    func byteCount(buffer: Int) -> Int {
        guard format != .mjpeg else { return 0 }
        return planes.filter { $0.buffer == buffer }.map(\.end).max() ?? 0
    }

    /// The number of buffers that make up a picture.
    var bufferCount: Int { (planes.map(\.buffer).max() ?? 0) + 1 }
}

extension CameraPixelFormat {
    /// Returns the bytes per row and the number of rows of each plane. Planes may follow each other in one buffer.
    fileprivate func planeSizes(_ resolution: Resolution) -> [(width: Int, height: Int)] {
        let (width, height, chroma) = (resolution.width, resolution.height, resolution.chroma)
        let luma = (width, height)
        return switch self {
        case .i420, .yv12: [luma, (chroma.width, chroma.height), (chroma.width, chroma.height)]
        case .nv12, .nv21: [luma, (2 * chroma.width, chroma.height)]
        case .nv16: [luma, (2 * chroma.width, height)]
        case .yuyv, .uyvy, .yvyu: [(4 * chroma.width, height)]
        case .rgb24, .bgr24: [(3 * width, height)]
        case .grey: [luma]
        case .mjpeg: [(1, 1)]
        }
    }
}

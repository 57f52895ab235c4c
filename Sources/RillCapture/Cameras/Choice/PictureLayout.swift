import RillCore

/// How the bytes of a raw picture lie in the buffers of a camera.
struct PictureLayout: Hashable, Sendable {
    var format: CameraPixelFormat
    var resolution: Resolution
    /// How the camera's numbers are to be read; the pipeline's frames are in limited range.
    var colorSpace: ColorSpace
    /// Where each plane lies: in which buffer, from which byte on, with rows how far apart.
    private(set) var planes: [Plane]

    struct Plane: Hashable, Sendable {
        var buffer: Int
        var offset: Int
        var stride: Int
        /// Bytes of samples in a row.
        var width: Int
        var height: Int

        /// Bytes that the buffer must have for it.
        var end: Int { offset + (height - 1) * stride + width }
    }

    /// - Parameter strides: bytes from row to row of each buffer; 0, or less than a row has, where the driver does not say.
    init(
        _ format: CameraPixelFormat, _ arrangement: CameraPixelFormat.Arrangement, _ resolution: Resolution,
        strides: [Int], colorSpace: ColorSpace
    ) {
        self.format = format
        self.resolution = resolution
        self.colorSpace = colorSpace
        planes = []
        var offset = 0
        for index in 0..<format.planeCount {
            let size = format.planeSize(index, resolution)
            let buffer = arrangement == .oneBuffer ? 0 : index
            var stride = strides.indices.contains(buffer) ? strides[buffer] : 0
            // In one buffer the driver names the rows of luma; those of chroma are in proportion.
            if arrangement == .oneBuffer, index > 0, format.planeCount == 3 { stride /= 2 }
            stride = max(stride, size.width)
            planes.append(
                Plane(
                    buffer: buffer, offset: arrangement == .oneBuffer ? offset : 0, stride: stride, width: size.width,
                    height: size.height))
            offset += stride * size.height
        }
    }

    /// Bytes that each buffer must have for a whole picture; none for JPEG, which has as many as it has.
    func byteCount(buffer: Int) -> Int {
        guard format != .mjpeg else { return 0 }
        return planes.filter { $0.buffer == buffer }.map(\.end).max() ?? 0
    }

    /// Buffers that make up a picture.
    var bufferCount: Int { (planes.map(\.buffer).max() ?? 0) + 1 }
}

extension CameraPixelFormat {
    /// Bytes in a row, and rows, of a plane.
    fileprivate func planeSize(_ index: Int, _ resolution: Resolution) -> (width: Int, height: Int) {
        let (width, height, chroma) = (resolution.width, resolution.height, resolution.chroma)
        switch self {
        case .i420, .yv12: return index == 0 ? (width, height) : (chroma.width, chroma.height)
        case .nv12, .nv21: return index == 0 ? (width, height) : (2 * chroma.width, chroma.height)
        case .nv16: return index == 0 ? (width, height) : (2 * chroma.width, height)
        case .yuyv, .uyvy, .yvyu: return (4 * chroma.width, height)
        case .rgb24, .bgr24: return (3 * width, height)
        case .grey: return (width, height)
        case .mjpeg: return (1, 1)
        }
    }
}

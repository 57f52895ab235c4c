import CPNG
public import RillCore

/// Snapshots of frames as PNG, through libpng's simplified API.
///
///     try PNGWriter.write(frame, to: "snapshot.png")
///
/// 8-bit RGB without alpha, as the picture lies in its frame: its rotation is not applied. A picture of 1280x720 takes
/// about 0.1 s; memory for its pixels and its file is allocated for the time of the call. Any thread.
public enum PNGWriter {
    /// Writes a frame to a file; `-` is standard output.
    ///
    /// - Parameter name: what errors call it, where that is not its path.
    /// - Throws: `notFound`, `openFailed`, `writeFailed`, `imageNotEncoded`.
    public static func write(_ frame: VideoFrame, to path: String, name: String? = nil) throws(FileError) {
        try write(bytes(of: frame), to: path, name: name)
    }

    /// The bytes of a PNG file that shows the frame.
    ///
    /// - Throws: `imageNotEncoded`.
    public static func bytes(of frame: VideoFrame) throws(FileError) -> [UInt8] {
        try bytes(ofRGB: RGBConversion.pixels(of: frame), resolution: frame.resolution)
    }

    /// Writes red, green and blue bytes, row by row without gaps, to a file.
    package static func write(rgb pixels: [UInt8], resolution: Resolution, to path: String) throws(FileError) {
        try write(bytes(ofRGB: pixels, resolution: resolution), to: path)
    }

    /// The bytes of a PNG file of red, green and blue bytes, row by row without gaps.
    package static func bytes(ofRGB pixels: [UInt8], resolution: Resolution) throws(FileError) -> [UInt8] {
        precondition(pixels.count == 3 * resolution.pixelCount, "\(pixels.count) bytes for \(resolution)")
        var image = unsafe png_image()
        unsafe image.version = CPNG_image_version
        unsafe image.format = CPNG_format_rgb
        unsafe image.width = png_uint_32(resolution.width)
        unsafe image.height = png_uint_32(resolution.height)
        // libpng's own bound for incompressible pixels: one pass instead of a first one that only measures.
        let limit = unsafe CPNG_image_size_max(&image)
        var size = png_alloc_size_t(limit)
        let bytes = [UInt8](capacity: Int(limit)) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                unsafe pixels.withUnsafeBytes { pixels in
                    // Both buffers live until this returns; a stride of 0 says that rows have no gaps.
                    let isDone = unsafe png_image_write_to_memory(
                        &image, buffer.baseAddress!, &size, 0, pixels.baseAddress!, 0, nil)
                    initialized = isDone != 0 ? Int(size) : 0
                }
            }
        }
        guard !bytes.isEmpty else { throw .imageNotEncoded(reason: unsafe String(cString: CPNG_image_message(&image))) }
        return bytes
    }

    private static func write(_ bytes: [UInt8], to path: String, name: String? = nil) throws(FileError) {
        var output = try ByteOutput(path: path, name: name)
        try output.write(bytes.span)
        try output.finish()
    }
}

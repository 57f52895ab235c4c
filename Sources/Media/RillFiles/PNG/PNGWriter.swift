import CPNG
public import RillCore

/// Writes frames as PNG snapshots, with libpng's simplified API.
///
/// ```swift
/// try PNGWriter.write(frame, to: "snapshot.png")
/// ```
///
/// The output is 8-bit RGB without alpha. The frame's rotation is not applied. A picture of 1280x720 takes about 0.1
/// s. Memory for its pixels and its file is allocated for the duration of the call. Callable from any thread.
public enum PNGWriter {
    /// Writes a frame to a file.
    ///
    /// - Parameters:
    ///   - frame: the frame, of any format and color space.
    ///   - path: the file; `-` is standard output.
    ///   - name: the file's name in errors, if it is not its path.
    /// - Throws: `notFound`, `openFailed`, `writeFailed`, `imageNotEncoded`.
    public static func write(_ frame: VideoFrame, to path: String, name: String? = nil) throws(FileError) {
        try write(bytes(of: frame), to: path, name: name)
    }

    /// Returns the bytes of a PNG file with the frame's picture.
    ///
    /// - Throws: `imageNotEncoded`.
    public static func bytes(of frame: VideoFrame) throws(FileError) -> [UInt8] {
        try bytes(ofRGB: RGBConversion.pixels(of: frame), resolution: frame.resolution)
    }

    /// Writes red, green and blue bytes, row by row without gaps, to a PNG file.
    package static func write(rgb pixels: [UInt8], resolution: Resolution, to path: String) throws(FileError) {
        try write(bytes(ofRGB: pixels, resolution: resolution), to: path)
    }

    /// Returns the bytes of a PNG file with a picture of red, green and blue bytes, row by row without gaps.
    package static func bytes(ofRGB pixels: [UInt8], resolution: Resolution) throws(FileError) -> [UInt8] {
        precondition(pixels.count == 3 * resolution.pixelCount, "\(pixels.count) bytes for \(resolution)")
        var image = unsafe png_image()
        unsafe image.version = CPNG_image_version
        unsafe image.format = CPNG_format_rgb
        unsafe image.width = png_uint_32(resolution.width)
        unsafe image.height = png_uint_32(resolution.height)
        // libpng's own bound for incompressible pixels: it saves a first pass that only measures.
        let limit = unsafe CPNG_image_size_max(&image)
        var size = png_alloc_size_t(limit)
        let bytes = [UInt8](capacity: Int(limit)) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                unsafe pixels.withUnsafeBytes { pixels in
                    // Both buffers are valid until this returns. A stride of 0 means rows without gaps.
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

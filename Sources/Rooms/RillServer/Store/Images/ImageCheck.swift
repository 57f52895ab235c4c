#if Server
import CImages
import RillRooms

/// An image that was decoded to its end: what it is, and its thumbnail.
///
/// libpng, libjpeg-turbo, libwebp and giflib decode, as browsers and most other programs do: an image that these take
/// is shown there. The decoders read row by row where the format allows it, so that memory follows the width.
struct ImageCheck: Equatable {
    let format: ChatImage.Format
    /// The size as it is shown, after Exif's orientation.
    let width, height: Int
    /// The thumbnail's file: PNG with transparency, else JPEG.
    let thumbnail: [UInt8]
    let thumbnailFormat: ChatImage.Format

    /// Decodes an image. Blocks, and takes up to a second for the largest ones.
    init(_ bytes: [UInt8], _ limits: ImageLimits = ImageLimits()) throws(ImageRefusal) {
        guard bytes.count <= limits.byteCount else { throw .tooLarge(limit: limits.byteCount) }
        guard let format = ChatImage.Format(of: bytes) else { throw .unknownFormat }
        let orientation = ImageOrientation(of: bytes, format)
        // Rotated, the sides of a thumbnail are exchanged, and the longer one stays it.
        var (header, picture) = try Self.decode(bytes, format, limits)
        picture.apply(orientation)
        self.format = format
        let (width, height) = (Int(header.width), Int(header.height))
        (self.width, self.height) = orientation.isTransposed ? (height, width) : (width, height)
        thumbnailFormat = header.has_alpha && !picture.isOpaque ? .png : .jpeg
        thumbnail = try picture.file(as: thumbnailFormat)
    }

    private static func decode(
        _ bytes: [UInt8], _ format: ChatImage.Format, _ limits: ImageLimits
    ) throws(ImageRefusal) -> (CImages_header, Thumbnail) {
        let bounds = CImages_limits(
            pixels: UInt64(limits.pixelCount), total_pixels: UInt64(limits.totalPixelCount),
            frames: UInt32(limits.frameCount), memory: limits.memory, side: UInt32(limits.thumbnailSide))
        var outcome: Result<(CImages_header, Thumbnail), ImageRefusal> = .failure(.damaged)
        // The buffer is valid until the decoder is closed, below.
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var header = CImages_header()
            var result = CImages_ok
            var bounds = bounds
            let decoder = unsafe CImages_open(
                format.decoder, bytes.baseAddress, bytes.count, &bounds, &header, &result)
            guard let decoder = unsafe decoder else {
                outcome = .failure(ImageRefusal(result, limits))
                return
            }
            defer { unsafe CImages_close(decoder) }
            let (width, height) = (Int(header.row_width), Int(header.row_count))
            var scaler = ThumbnailScaler(width: width, height: height, side: limits.thumbnailSide)
            var row = [UInt8](repeating: 0, count: 4 * width)
            for _ in 0..<height {
                // A row has four bytes for each of the pixels that the header says.
                result = unsafe row.withUnsafeMutableBufferPointer { row in
                    unsafe CImages_read(decoder, row.baseAddress)
                }
                guard result == CImages_ok else { break }
                scaler.add(row.span)
            }
            if result == CImages_ok { result = unsafe CImages_finish(decoder) }
            outcome =
                result == CImages_ok
                ? .success((header, scaler.thumbnail)) : .failure(ImageRefusal(result, limits))
        }
        return try outcome.get()
    }
}

extension ChatImage.Format {
    /// The format of bytes, by their beginning.
    init?(of bytes: [UInt8]) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
            self = .gif
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else {
            return nil
        }
    }

    /// The media type of its files.
    var mediaType: String { "image/\(rawValue)" }

    fileprivate var decoder: CImages_format {
        switch self {
        case .png: CImages_png
        case .jpeg: CImages_jpeg
        case .webp: CImages_webp
        case .gif: CImages_gif
        }
    }
}

extension ImageRefusal {
    fileprivate init(_ result: CImages_result, _ limits: ImageLimits) {
        switch result {
        case CImages_too_large: self = .tooManyPixels(limit: limits.pixelCount)
        case CImages_unsupported: self = .unsupported
        case CImages_no_memory: self = .busy
        default: self = .damaged
        }
    }
}
#endif

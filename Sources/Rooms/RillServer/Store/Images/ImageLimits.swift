#if Server
import RillRooms

/// What an image of a chat may be.
public struct ImageLimits: Equatable, Sendable {
    /// Its bytes.
    public var byteCount = 10 << 20
    /// Its pixels: photographs of telephones have 12 million.
    public var pixelCount = 25_000_000
    /// The pixels of all frames of an animation.
    public var totalPixelCount = 100_000_000
    /// The frames of an animation.
    public var frameCount = 2000
    /// The bytes of memory that a decoder may take beside those of the image. With these it stays below 64 MiB.
    public var memory = 40 << 20
    /// The longer side of a thumbnail, in pixels.
    public var thumbnailSide = 320
    /// The bytes of all images of a room, with their thumbnails. 1 GiB.
    public var roomByteCount = 1 << 30
    /// The bytes of all images, with their thumbnails. 10 GiB.
    public var totalByteCount = 10 << 30

    /// Limits for photographs and short animations.
    public init() {}
}

/// Why an image is not taken.
public enum ImageRefusal: Error, Equatable, Sendable {
    /// It is not a PNG, JPEG, WebP or GIF.
    case unknownFormat
    /// It has more bytes than it may.
    case tooLarge(limit: Int)
    /// It has more pixels or frames than it may, or needs more memory.
    case tooManyPixels(limit: Int)
    /// Bytes of it are missing or wrong.
    case damaged
    /// It is of a kind that browsers do not show.
    case unsupported
    /// As many are checked as can be. It may come again.
    case busy
    /// There is no place for it on the disk.
    case full
    /// The images of the room have as many bytes as they may.
    case roomFull(limit: Int)
    /// All images have as many bytes as they may.
    case storeFull(limit: Int)
    /// It cannot be kept, and why.
    case failed(String)
}
#endif

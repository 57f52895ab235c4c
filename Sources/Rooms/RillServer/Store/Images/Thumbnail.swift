#if Server
import CImages
import RillRooms

/// A small picture: red, green, blue and alpha of each pixel, row by row.
struct Thumbnail: Equatable {
    private(set) var width, height: Int
    private(set) var pixels: [UInt8]

    /// A picture of pixels.
    init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == 4 * width * height, "\(pixels.count) bytes for \(width)x\(height)")
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }

    /// Whether nothing of it is transparent.
    var isOpaque: Bool { stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 } }

    /// Turns it as an orientation says.
    mutating func apply(_ orientation: ImageOrientation) {
        guard orientation != .upright else { return }
        let (newWidth, newHeight) = orientation.isTransposed ? (height, width) : (width, height)
        var turned: [UInt8] = []
        turned.reserveCapacity(pixels.count)
        for y in 0..<newHeight {
            for x in 0..<newWidth {
                let (sourceX, sourceY) = orientation.source(x, y, width: width, height: height)
                let start = 4 * (sourceY * width + sourceX)
                turned += pixels[start..<start + 4]
            }
        }
        (width, height, pixels) = (newWidth, newHeight, turned)
    }

    /// The picture's file.
    func file(as format: ChatImage.Format) throws(ImageRefusal) -> [UInt8] {
        var count = 0
        let bytes = unsafe pixels.withUnsafeBufferPointer { pixels in
            // The initializer checked that there are as many.
            unsafe CImages_write(
                format == .png ? CImages_png : CImages_jpeg, pixels.baseAddress, UInt32(width), UInt32(height), &count)
        }
        guard let bytes = unsafe bytes else { throw .busy }
        defer { unsafe CImages_free(bytes) }
        // `count` bytes were written there.
        return unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    }
}

/// Makes a thumbnail of rows that come one by one: each of its pixels is the mean of those that it covers, weighted by
/// their alpha.
struct ThumbnailScaler {
    private let width, height: Int
    private let targetWidth, targetHeight: Int
    /// The column of the thumbnail for each of the picture's.
    private let columns: [Int]
    /// Sums of red, green, blue (times alpha), alpha, and pixels, for each column.
    private var sums: [Int]
    private var pixels: [UInt8] = []
    private var row = 0

    private static let fieldCount = 5

    /// For a picture of a size; the thumbnail's longer side is `side`, or the picture's if that is shorter.
    init(width: Int, height: Int, side: Int) {
        let longest = max(width, height)
        let target = min(longest, side)
        (self.width, self.height) = (width, height)
        targetWidth = max(width * target / longest, 1)
        targetHeight = max(height * target / longest, 1)
        columns = (0..<width).map { [targetWidth] in $0 * targetWidth / width }
        sums = [Int](repeating: 0, count: Self.fieldCount * targetWidth)
        pixels.reserveCapacity(4 * targetWidth * targetHeight)
    }

    /// Adds the next row.
    mutating func add(_ bytes: Span<UInt8>) {
        precondition(bytes.count == 4 * width && row < height, "row \(row) has \(bytes.count) bytes")
        for x in 0..<width {
            let at = Self.fieldCount * columns[x]
            let alpha = Int(bytes[4 * x + 3])
            for channel in 0..<3 { sums[at + channel] += Int(bytes[4 * x + channel]) * alpha }
            sums[at + 3] += alpha
            sums[at + 4] += 1
        }
        let target = row * targetHeight / height
        row += 1
        if row == height || row * targetHeight / height != target { finishRow() }
    }

    private mutating func finishRow() {
        for column in 0..<targetWidth {
            let at = Self.fieldCount * column
            let (alpha, count) = (sums[at + 3], sums[at + 4])
            for channel in 0..<3 {
                pixels.append(UInt8(clamping: alpha == 0 ? 0 : (sums[at + channel] + alpha / 2) / alpha))
            }
            pixels.append(UInt8(clamping: count == 0 ? 0 : (alpha + count / 2) / count))
        }
        for index in sums.indices { sums[index] = 0 }
    }

    /// The thumbnail, once all rows were added.
    var thumbnail: Thumbnail { Thumbnail(width: targetWidth, height: targetHeight, pixels: pixels) }
}
#endif

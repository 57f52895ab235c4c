/// The size of a picture in pixels.
@frozen
public struct Resolution: Hashable, Sendable {
    /// Pixels in a row; at least 1.
    public let width: Int
    /// Rows; at least 1.
    public let height: Int

    /// The largest width and height that Rill supports: the limit of VP8's 14-bit fields.
    public static let maximumDimension = 16383

    /// Creates a size. Both values must be in `1...maximumDimension`; others trap. Use
    /// ``init(validatingWidth:height:)`` for values from outside.
    public init(width: Int, height: Int) {
        guard let valid = Resolution(validatingWidth: width, height: height) else {
            preconditionFailure("a resolution lies between 1x1 and 16383x16383, not \(width)x\(height)")
        }
        self = valid
    }

    /// Creates a size from untrusted values. Returns `nil` if one of them is outside `1...maximumDimension`.
    public init?(validatingWidth width: Int, height: Int) {
        let range = 1...Resolution.maximumDimension
        guard range.contains(width), range.contains(height) else { return nil }
        self.width = width
        self.height = height
    }

    /// Width times height.
    public var pixelCount: Int { width * height }

    /// The size of a 4:2:0 chroma plane: half of each side, rounded up.
    public var chroma: Resolution { Resolution(width: (width + 1) / 2, height: (height + 1) / 2) }

    /// 1x1: stands for the size of an encrypted frame that nothing tells.
    package static let unknown = Resolution(width: 1, height: 1)
    /// The size; `nil` for the one that stands for an unknown one.
    package var known: Resolution? { self == .unknown ? nil : self }
    /// 160x120.
    public static let qqvga = Resolution(width: 160, height: 120)
    /// 640x480.
    public static let vga = Resolution(width: 640, height: 480)
    /// 1280x720.
    public static let hd720 = Resolution(width: 1280, height: 720)
}

extension Resolution: CustomStringConvertible {
    /// `640x480`.
    public var description: String { "\(width)x\(height)" }
}

extension Resolution: Codable {
    /// Decodes `width` and `height`.
    ///
    /// - Throws: `DecodingError` if one of them is outside `1...maximumDimension`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let width = try container.decode(Int.self, forKey: .width)
        let height = try container.decode(Int.self, forKey: .height)
        guard let resolution = Resolution(validatingWidth: width, height: height) else {
            throw DecodingError.dataCorruptedError(
                forKey: .width, in: container,
                debugDescription: "a resolution lies between 1x1 and 16383x16383, not \(width)x\(height)")
        }
        self = resolution
    }
}

/// A clockwise rotation of a picture by a multiple of 90 degrees.
///
/// ``VideoFrame/rotation`` is the rotation that brings a picture upright. Rotations add and subtract: `.clockwise90 +
/// .clockwise180 == .clockwise270`, `.none - .clockwise90 == .clockwise270`.
public enum Rotation: Int, CaseIterable, Sendable, BitwiseCopyable {
    /// No rotation.
    case none = 0
    /// 90 degrees: the left side becomes the top.
    case clockwise90 = 90
    /// 180 degrees: the bottom becomes the top.
    case clockwise180 = 180
    /// 270 degrees: the right side becomes the top.
    case clockwise270 = 270

    /// The rotation in degrees: 0, 90, 180 or 270.
    public var degrees: Int { rawValue }

    /// Whether the rotation swaps width and height.
    public var exchangesSides: Bool { self == .clockwise90 || self == .clockwise270 }

    /// Returns the size of a picture of size `resolution` after the rotation.
    public func applied(to resolution: Resolution) -> Resolution {
        exchangesSides ? Resolution(width: resolution.height, height: resolution.width) : resolution
    }

    /// Returns the sum of both rotations.
    public static func + (a: Rotation, b: Rotation) -> Rotation { Rotation(quarters: a.quarters + b.quarters) }

    /// Returns the rotation that remains of `a` after `b`.
    public static func - (a: Rotation, b: Rotation) -> Rotation { Rotation(quarters: a.quarters - b.quarters) }

    private var quarters: Int { rawValue / 90 }

    private init(quarters: Int) { self = Rotation(rawValue: 90 * (quarters & 3)) ?? .none }
}

extension Rotation: AdditiveArithmetic {
    /// No rotation.
    public static var zero: Rotation { .none }
}

/// A turn of a picture clockwise, by quarters.
///
/// As ``VideoFrame/rotation`` it says how far a picture has to be turned to stand upright. Turns add up and undo each
/// other: `.clockwise90 + .clockwise180 == .clockwise270`, `.none - .clockwise90 == .clockwise270`.
public enum Rotation: Int, CaseIterable, Sendable, BitwiseCopyable {
    /// As it is.
    case none = 0
    /// A quarter: what was at the left is at the top.
    case clockwise90 = 90
    /// A half: what was at the bottom is at the top.
    case clockwise180 = 180
    /// Three quarters: what was at the right is at the top.
    case clockwise270 = 270

    /// The turn in degrees: 0, 90, 180 or 270.
    public var degrees: Int { rawValue }

    /// Whether a picture that is turned so has its width and height exchanged.
    public var exchangesSides: Bool { self == .clockwise90 || self == .clockwise270 }

    /// The size of a picture of size `resolution` after the turn.
    public func applied(to resolution: Resolution) -> Resolution {
        exchangesSides ? Resolution(width: resolution.height, height: resolution.width) : resolution
    }

    /// One turn after the other.
    public static func + (a: Rotation, b: Rotation) -> Rotation { Rotation(quarters: a.quarters + b.quarters) }

    /// The turn that is left of `a` after `b`.
    public static func - (a: Rotation, b: Rotation) -> Rotation { Rotation(quarters: a.quarters - b.quarters) }

    private var quarters: Int { rawValue / 90 }

    private init(quarters: Int) {
        switch quarters & 3 {
        case 0: self = .none
        case 1: self = .clockwise90
        case 2: self = .clockwise180
        default: self = .clockwise270
        }
    }
}

extension Rotation: AdditiveArithmetic {
    /// No turn.
    public static var zero: Rotation { .none }
}

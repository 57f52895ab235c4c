import RillCore
import RillRTP

extension Span where Element == UInt8 {
    /// A copy to compare with.
    var array: [UInt8] { indices.map { self[$0] } }
}

extension WireList {
    /// A copy to compare with.
    var array: [Element] { indices.map { self[$0] } }
}

extension SeededGenerator {
    /// `count` random bytes.
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}

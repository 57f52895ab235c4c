package import RillCore

extension SeededGenerator {
    /// `count` random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// A length from zero up to, not including, `bound`.
    package mutating func duration(below bound: MediaDuration) -> MediaDuration {
        MediaDuration(nanoseconds: Int64(unitInterval() * Double(bound.nanoseconds)))
    }
}

public import RillCore

/// How much may wait for a link's bottleneck.
///
/// A shallow queue drops early; a deep one, of seconds, is called bufferbloat.
public enum QueueLimit: Hashable, Sendable {
    /// A datagram whose first bit would wait longer than this is dropped, 0 to 60 s.
    case time(MediaDuration)
    /// A datagram with more than this many bytes before it is dropped, 0 to 64 MiB.
    case bytes(Int)

    /// The largest limit in bytes: the link's memory.
    public static let maximumByteCount = DatagramStore.byteCapacity
}

extension QueueLimit: CustomStringConvertible {
    private static let units: KeyValuePairs<String, Int> = ["MB": 1_000_000, "kB": 1000, "B": 1]

    /// Parses a duration, or a whole number of bytes with `B`, `kB` or `MB`, the command line's notation: `300ms`,
    /// `64kB`.
    ///
    /// - Parameter text: the limit.
    /// - Throws: ``LinkError`` if the text is malformed.
    public init(notation text: String) throws(LinkError) {
        guard text.hasSuffix("B") else {
            do { self = .time(try MediaDuration(notation: text)) } catch { throw .invalidValue(.queue, error) }
            return
        }
        for (unit, scale) in Self.units where text.hasSuffix(unit) {
            let digits = text.dropLast(unit.count)
            // Nine digits of megabytes do not overflow; the settings check the range.
            guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let count = Int(digits)
            else { break }
            self = .bytes(count * scale)
            return
        }
        throw .malformedValue(.queue, text)
    }

    /// The same notation.
    public var description: String {
        switch self {
        case .time(let duration): return duration.notation
        case .bytes(let count):
            for (unit, scale) in Self.units where count >= scale && count.isMultiple(of: scale) {
                return "\(count / scale)\(unit)"
            }
            return "0B"
        }
    }
}

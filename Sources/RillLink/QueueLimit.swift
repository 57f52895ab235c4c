public import RillCore

/// How much may wait for a link's bottleneck. A shallow queue drops early; a deep one, of seconds, is what is called
/// bufferbloat.
public enum QueueLimit: Hashable, Sendable {
    /// A datagram that would have to wait longer than this for its first bit to go is dropped, 0 to 60 s.
    case time(MediaDuration)
    /// A datagram that has more than so many bytes before it is dropped, 0 to 64 MiB.
    case bytes(Int)

    /// The most that may be asked for in bytes: what the link has memory for.
    public static let maximumByteCount = DatagramStore.byteCapacity
}

extension QueueLimit: CustomStringConvertible {
    private static let units: KeyValuePairs<String, Int> = ["MB": 1_000_000, "kB": 1000, "B": 1]

    /// A duration, or a whole number of bytes with `B`, `kB` or `MB`, as the command line writes it: `300ms`, `64kB`.
    public init(notation text: String) throws(LinkError) {
        guard text.hasSuffix("B") else {
            do { self = .time(try MediaDuration(notation: text)) } catch { throw .invalidValue(.queue, error) }
            return
        }
        for (unit, scale) in Self.units where text.hasSuffix(unit) {
            let digits = text.dropLast(unit.count)
            // Nine digits of megabytes do not overflow; what is too much is told by the settings.
            guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let count = Int(digits)
            else { break }
            self = .bytes(count * scale)
            return
        }
        throw .malformedValue(.queue, text)
    }

    /// The same grammar.
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

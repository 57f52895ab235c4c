public import RillCore

/// How much may wait for a link's bottleneck.
///
/// A shallow queue drops early; a deep one, of seconds, is called bufferbloat.
public enum QueueLimit: Hashable, Sendable {
    /// A datagram whose first bit would wait longer than this is dropped, 0 to 60 s.
    case time(MediaDuration)
    /// A datagram with more than this many bytes before it is dropped, 0 to 64 MiB.
    case bytes(Int)
    /// As a router counts: a datagram is dropped if what is queued and itself, with headers, would take longer than
    /// this at the present capacity (``LinkSettings/capacity(at:)``), 0 to 60 s. An empty queue takes one of any size.
    ///
    /// Unlike ``time(_:)``, which knows the rates to come, it follows a step when that comes: from 2 Mbit/s to 500
    /// kbit/s a full queue is four times too long, and takes nothing until three quarters have passed.
    case drain(MediaDuration)

    /// The largest limit in bytes: the link's memory.
    public static let maximumByteCount = DatagramStore.byteCapacity
}

extension QueueLimit: CustomStringConvertible {
    private static let drainPrefix = "drain/"
    private static let units: KeyValuePairs<String, Int> = ["MB": 1_000_000, "kB": 1000, "B": 1]

    /// Parses a duration, `drain/` and a duration, or a whole number of bytes with `B`, `kB` or `MB`, the command
    /// line's notation: `300ms`, `drain/300ms`, `64kB`.
    ///
    /// - Parameter text: the limit.
    /// - Throws: ``LinkError`` if the text is malformed.
    public init(notation text: String) throws(LinkError) {
        guard text.hasSuffix("B") else {
            let drains = text.hasPrefix(Self.drainPrefix)
            do {
                let duration = try MediaDuration(notation: drains ? text.dropFirst(Self.drainPrefix.count) : text[...])
                self = drains ? .drain(duration) : .time(duration)
            } catch {
                throw .invalidValue(.queue, error)
            }
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
        case .drain(let duration): return Self.drainPrefix + duration.notation
        case .bytes(let count):
            for (unit, scale) in Self.units where count >= scale && count.isMultiple(of: scale) {
                return "\(count / scale)\(unit)"
            }
            return "0B"
        }
    }
}

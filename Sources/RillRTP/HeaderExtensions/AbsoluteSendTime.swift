// http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time, here with the header of the one-byte form:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |  ID   | len=2 |              absolute send time               |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Six bits of seconds, 18 bits of their fraction.

/// When a packet left its sender: the sender's clock in steps of 2^-18 s (3.8 µs), modulo 64 s.
public struct AbsoluteSendTime: HeaderExtensionValue {
    /// Seconds times 2^18, 24 bits.
    public let rawValue: UInt32

    @inlinable static var mask: UInt32 { 0xFF_FFFF }

    /// The stamp that stands on the wire as the low 24 bits of `rawValue`.
    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue & AbsoluteSendTime.mask
    }

    /// The stamp of a point in time, rounded down.
    public init(_ time: NTPTimestamp) {
        self.init(rawValue: UInt32(truncatingIfNeeded: time.rawValue >> 14))
    }

    /// How many nanoseconds this one lies after `other`, the short way round: 32 s either way, rounded down.
    public func nanoseconds(since other: AbsoluteSendTime) -> Int64 {
        let steps = Int64(Int32(bitPattern: (rawValue &- other.rawValue) << 8) >> 8)
        return (steps * 1_000_000_000) >> 18
    }

    /// Bytes of the element's data.
    @inlinable
    public static var byteCount: Int { 3 }
    /// Three.
    public var byteCount: Int { AbsoluteSendTime.byteCount }

    /// Reads the stamp.
    ///
    /// - Throws: `invalidExtension` unless the data has three bytes.
    @inlinable
    public init(parsing data: Span<UInt8>) throws(RTPError) {
        guard data.count == AbsoluteSendTime.byteCount else { throw .invalidExtension(byteCount: data.count) }
        self.init(rawValue: UInt32(data[0]) << 16 | UInt32(data[1]) << 8 | UInt32(data[2]))
    }

    /// Appends the stamp. `output` has room for three bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: rawValue >> 16))
        output.append(bigEndian: UInt16(truncatingIfNeeded: rawValue))
    }
}

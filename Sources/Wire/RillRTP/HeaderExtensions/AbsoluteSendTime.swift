/// The time at which a packet left its sender: the sender's clock in steps of 2^-18 s (3.8 µs), modulo 64 s.
///
/// The element of the header extension http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time, here with a
/// one-byte header. It has six bits of seconds and 18 bits of fraction:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  ID   | len=2 |              absolute send time               |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
public struct AbsoluteSendTime: HeaderExtensionValue {
    /// Seconds times 2^18, 24 bits.
    public let rawValue: UInt32

    @inlinable static var mask: UInt32 { 0xFF_FFFF }

    /// The timestamp whose wire value is the low 24 bits of `rawValue`.
    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue & AbsoluteSendTime.mask
    }

    /// The timestamp of a point in time, rounded down.
    public init(_ time: NTPTimestamp) {
        self.init(rawValue: UInt32(truncatingIfNeeded: time.rawValue >> 14))
    }

    /// The nanoseconds from `other` to this timestamp, by the shorter way around: within ±32 s, rounded down.
    public func nanoseconds(since other: AbsoluteSendTime) -> Int64 {
        let steps = Int64(Int32(bitPattern: (rawValue &- other.rawValue) << 8) >> 8)
        return (steps * 1_000_000_000) >> 18
    }

    /// Bytes of the element's data.
    @inlinable
    public static var byteCount: Int { 3 }
    /// The size of the element's data: 3 bytes.
    public var byteCount: Int { AbsoluteSendTime.byteCount }

    /// Reads the timestamp.
    ///
    /// - Throws: `invalidExtension` unless the data has three bytes.
    @inlinable
    public init(parsing data: Span<UInt8>) throws(RTPError) {
        guard data.count == AbsoluteSendTime.byteCount else { throw .invalidExtension(byteCount: data.count) }
        self.init(rawValue: UInt32(data[0]) << 16 | UInt32(data[1]) << 8 | UInt32(data[2]))
    }

    /// Appends the timestamp. Traps unless `output` has room for three bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: rawValue >> 16))
        output.append(bigEndian: UInt16(truncatingIfNeeded: rawValue))
    }
}

/// The bounds within which a receiver chooses its playout delay, the time from capture to display.
///
/// The element of the header extension http://www.webrtc.org/experiments/rtp-hdrext/playout-delay, here with a
/// one-byte header:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  ID   | len=2 |       MIN delay       |       MAX delay       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// If both bounds are zero, the receiver should show every picture immediately, as cloud gaming requires.
public struct PlayoutDelay: HeaderExtensionValue {
    /// MIN delay in steps of 10 ms, 0 to 4095 (40.95 s).
    public let minimumSteps: UInt16
    /// MAX delay in steps of 10 ms, 0 to 4095, not less than MIN.
    public let maximumSteps: UInt16

    /// The length of a step in milliseconds.
    public static let stepMilliseconds = 10
    private static let maximumStep: UInt16 = 0xFFF

    /// Bounds in steps of 10 ms; `nil` unless 0 <= minimum <= maximum <= 4095.
    public init?(minimumSteps: Int, maximumSteps: Int) {
        guard minimumSteps >= 0, minimumSteps <= maximumSteps, maximumSteps <= PlayoutDelay.maximumStep else {
            return nil
        }
        self.minimumSteps = UInt16(minimumSteps)
        self.maximumSteps = UInt16(maximumSteps)
    }

    /// The minimum delay in milliseconds.
    public var minimumMilliseconds: Int { Int(minimumSteps) * PlayoutDelay.stepMilliseconds }
    /// The maximum delay in milliseconds.
    public var maximumMilliseconds: Int { Int(maximumSteps) * PlayoutDelay.stepMilliseconds }

    /// Bytes of the element's data.
    public static let byteCount = 3
    /// The size of the element's data: 3 bytes.
    public var byteCount: Int { PlayoutDelay.byteCount }

    /// Reads the bounds.
    ///
    /// - Throws: `invalidExtension` unless the data has three bytes, `invalidPlayoutDelay` if MIN is above MAX.
    public init(parsing data: Span<UInt8>) throws(RTPError) {
        guard data.count == PlayoutDelay.byteCount else { throw .invalidExtension(byteCount: data.count) }
        let minimum = Int(data[0]) << 4 | Int(data[1]) >> 4
        let maximum = Int(data[1] & 0x0F) << 8 | Int(data[2])
        guard let delay = PlayoutDelay(minimumSteps: minimum, maximumSteps: maximum) else {
            throw .invalidPlayoutDelay(minimumSteps: minimum, maximumSteps: maximum)
        }
        self = delay
    }

    /// Appends the bounds. Traps unless `output` has room for three bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: minimumSteps >> 4))
        output.append(bigEndian: minimumSteps << 12 | maximumSteps)
    }
}

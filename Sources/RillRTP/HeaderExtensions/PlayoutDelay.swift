// http://www.webrtc.org/experiments/rtp-hdrext/playout-delay, here with the header of the one-byte form:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |  ID   | len=2 |       MIN delay       |       MAX delay       |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

/// Between which bounds a receiver may choose the time from capture to display, as the sender sees fit.
///
/// Both bounds zero ask for every picture at once, as games do.
public struct PlayoutDelay: HeaderExtensionValue {
    /// MIN delay in steps of 10 ms, 0 to 4095 (40.95 s).
    public let minimumSteps: UInt16
    /// MAX delay in steps of 10 ms, 0 to 4095, not less than MIN.
    public let maximumSteps: UInt16

    /// Milliseconds of a step.
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

    /// The least delay in milliseconds.
    public var minimumMilliseconds: Int { Int(minimumSteps) * PlayoutDelay.stepMilliseconds }
    /// The greatest delay in milliseconds.
    public var maximumMilliseconds: Int { Int(maximumSteps) * PlayoutDelay.stepMilliseconds }

    /// Bytes of the element's data.
    public static let byteCount = 3
    /// Three.
    public var byteCount: Int { PlayoutDelay.byteCount }

    /// Reads the bounds.
    ///
    /// - Throws: `invalidExtension` unless the data has three bytes, `invalidPlayoutDelay` when MIN is above MAX.
    public init(parsing data: Span<UInt8>) throws(RTPError) {
        guard data.count == PlayoutDelay.byteCount else { throw .invalidExtension(byteCount: data.count) }
        let minimum = Int(data[0]) << 4 | Int(data[1]) >> 4
        let maximum = Int(data[1] & 0x0F) << 8 | Int(data[2])
        guard let delay = PlayoutDelay(minimumSteps: minimum, maximumSteps: maximum) else {
            throw .invalidPlayoutDelay(minimumSteps: minimum, maximumSteps: maximum)
        }
        self = delay
    }

    /// Appends the bounds. `output` has room for three bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: minimumSteps >> 4))
        output.append(bigEndian: minimumSteps << 12 | maximumSteps)
    }
}

extension CongestionControlFeedback {
    /// The status of one packet at the receiver: a 16-bit packet metric block (RFC 8888 §3.1).
    ///
    /// ```text
    ///  0                   1
    ///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// |R|ECN|  Arrival time offset    |
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// ```
    public enum PacketStatus: WireElement, Equatable {
        /// R=0: the packet had not arrived when the feedback was written. The other bits are ignored.
        case notReceived
        /// R=1: the packet arrived that long before the feedback was written, with that mark.
        case received(ArrivalTimeOffset, ECNMark)
    }

    /// ATO: the time from a packet's arrival to the report timestamp, 13 bits in steps of 1/1024 s.
    @frozen
    public struct ArrivalTimeOffset: Equatable, Sendable, BitwiseCopyable {
        /// The value on the wire, 0 to 0x1FFF.
        public let rawValue: UInt16

        /// The packet arrived longer ago than 8189/1024 s, the maximum of the field.
        @inlinable public static var overRange: ArrivalTimeOffset { ArrivalTimeOffset(rawValue: 0x1FFE) }
        /// The arrival time is unknown, or lies after the report timestamp.
        @inlinable public static var unavailable: ArrivalTimeOffset { ArrivalTimeOffset(rawValue: 0x1FFF) }
        /// The maximum offset, in units of 1/1024 s.
        public static let maximumSteps = 0x1FFD

        @inlinable
        init(rawValue: UInt16) { self.rawValue = rawValue & 0x1FFF }

        /// The offset of an arrival `nanoseconds` ago, to the nearest unit: ``unavailable`` if that is negative,
        /// ``overRange`` if it is too long.
        @inlinable
        public init(nanoseconds: Int64) {
            guard nanoseconds >= 0 else {
                self = .unavailable
                return
            }
            guard nanoseconds < 8_000_000_000 else {
                self = .overRange
                return
            }
            let steps = (nanoseconds &* 1024 &+ 500_000_000) / 1_000_000_000
            self.init(rawValue: UInt16(truncatingIfNeeded: min(steps, 0x1FFE)))
        }

        /// The offset in steps of 1/1024 s; `nil` if it is ``overRange`` or ``unavailable``.
        @inlinable
        public var steps: Int? { rawValue <= 0x1FFD ? Int(rawValue) : nil }
    }

    /// The ECN field of the IP header with which a packet arrived (RFC 3168 §5).
    public enum ECNMark: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
        /// Not-ECT, or not known.
        case notCapable = 0
        /// ECT(1).
        case capable1 = 1
        /// ECT(0).
        case capable0 = 2
        /// CE: a router on the path has marked congestion.
        case congestionExperienced = 3
    }
}

extension CongestionControlFeedback.PacketStatus {
    @inlinable static var receivedBit: UInt16 { 0x8000 }

    /// The size of a status on the wire: 2 bytes.
    @inlinable
    public static var byteCount: Int { 2 }

    /// Reads the status at `offset`.
    @inlinable
    public init(wire bytes: Span<UInt8>, at offset: Int) {
        let bits = UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
        guard bits & Self.receivedBit != 0 else {
            self = .notReceived
            return
        }
        let mark: CongestionControlFeedback.ECNMark =
            switch bits >> 13 & 3 {
            case 0: .notCapable
            case 1: .capable1
            case 2: .capable0
            default: .congestionExperienced
            }
        self = .received(CongestionControlFeedback.ArrivalTimeOffset(rawValue: bits), mark)
    }

    /// Appends the status. Traps unless `output` has room for two bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        switch self {
        case .notReceived: output.append(bigEndian: UInt16(0))
        case .received(let offset, let mark):
            output.append(bigEndian: Self.receivedBit | UInt16(mark.rawValue) << 13 | offset.rawValue)
        }
    }
}

/// The level of the sound in a packet (RFC 6464).
///
/// The element of the header extension `urn:ietf:params:rtp-hdrext:ssrc-audio-level`, here with a one-byte header
/// (RFC 6464 §3):
///
/// ```text
///  0                   1
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  ID   | len=0 |V| level       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
public struct AudioLevel: HeaderExtensionValue {
    /// How far the level is below overload, in dB: 0 is the loudest sound, 127 digital silence (-dBov).
    public let attenuation: UInt8
    /// Whether the sender's detector takes it for speech. Senders without a detector set it always, or never.
    public let isVoice: Bool

    /// Digital silence.
    public static let silence = AudioLevel(attenuation: 127, isVoice: false)

    /// A level.
    ///
    /// - Parameters:
    ///   - attenuation: dB below overload; above 127 counts as 127.
    ///   - isVoice: whether it is taken for speech.
    public init(attenuation: UInt8, isVoice: Bool) {
        (self.attenuation, self.isVoice) = (min(attenuation, 127), isVoice)
    }

    /// Bytes of the element's data.
    public static let byteCount = 1
    /// The size of the element's data: 1 byte.
    public var byteCount: Int { AudioLevel.byteCount }

    /// Reads the level.
    ///
    /// - Throws: `invalidExtension` unless the data has one byte.
    public init(parsing data: Span<UInt8>) throws(RTPError) {
        guard data.count == AudioLevel.byteCount else { throw .invalidExtension(byteCount: data.count) }
        self.init(rawValue: data[0])
    }

    /// The byte of the element: the voice flag in the highest bit.
    package init(rawValue: UInt8) { self.init(attenuation: rawValue & 0x7F, isVoice: rawValue & 0x80 != 0) }
    /// The same byte.
    package var rawValue: UInt8 { attenuation | (isVoice ? 0x80 : 0) }

    /// Appends the level. Traps unless `output` has room for one byte.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) { output.append(rawValue) }
}

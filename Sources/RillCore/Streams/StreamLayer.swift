/// Which of the simulcast's streams a frame belongs to, and where it stands inside that stream.
@frozen
public struct StreamLayer: Hashable, Sendable {
    /// The name of one stream of a simulcast, as it goes on the wire (RFC 8852 `RtpStreamId`).
    ///
    /// Letters and digits only, 1 to 15 of them: fifteen bytes are what a Swift string holds without an allocation.
    public struct RID: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
        /// The name as text.
        public let description: String

        /// A name that somebody else wrote; `nil` unless it is 1 to 15 ASCII letters and digits.
        public init?(validating text: some StringProtocol) {
            let isName = text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            }
            guard isName, (1...15).contains(text.utf8.count) else { return nil }
            self.description = String(text)
        }

        /// A name in the source code; anything but 1 to 15 ASCII letters and digits is the programmer's mistake.
        public init(stringLiteral value: String) {
            guard let rid = RID(validating: value) else {
                preconditionFailure("a RID is 1 to 15 letters and digits, not \"\(value)\"")
            }
            self = rid
        }

        /// The stream that carries the picture at full size.
        public static let high: RID = "high"
        /// The stream between the two, where there are three.
        public static let medium: RID = "medium"
        /// The stream for thumbnails and bad networks: 160x120 at 5 frames a second unless set otherwise.
        public static let low: RID = "low"
    }

    /// The stream.
    public let rid: RID
    /// The temporal layer inside the stream; 0 is the base that every other one builds on.
    public let temporalIndex: Int

    /// A place in the stream `rid`; in a stream without temporal layers every frame is at index 0.
    public init(rid: RID, temporalIndex: Int = 0) {
        self.rid = rid
        self.temporalIndex = temporalIndex
    }
}

extension StreamLayer.RID: Codable {
    /// Reads the name as text.
    ///
    /// - Throws: `DecodingError` for what is no 1 to 15 letters and digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let rid = StreamLayer.RID(validating: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a RID is 1 to 15 letters and digits, not \"\(text)\"")
        }
        self = rid
    }

    /// Writes the name as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The simulcast stream of a frame, and its temporal layer in that stream.
@frozen
public struct StreamLayer: Hashable, Sendable {
    /// The name of a simulcast stream as sent on the wire (RFC 8852 `RtpStreamId`).
    ///
    /// It has 1 to 15 letters and digits: a Swift string holds up to fifteen bytes without an allocation.
    public struct RID: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
        /// The name as text.
        public let description: String

        /// Creates a name from untrusted text. Returns `nil` unless it is 1 to 15 ASCII letters and digits.
        public init?(validating text: some StringProtocol) {
            let isName = text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            }
            guard isName, (1...15).contains(text.utf8.count) else { return nil }
            self.description = String(text)
        }

        /// Creates a name from a literal. Traps unless it is 1 to 15 ASCII letters and digits.
        public init(stringLiteral value: String) {
            guard let rid = RID(validating: value) else {
                preconditionFailure("a RID is 1 to 15 letters and digits, not \"\(value)\"")
            }
            self = rid
        }

        /// The stream that carries the picture at full size.
        public static let high: RID = "high"
        /// The middle stream, if there are three.
        public static let medium: RID = "medium"
        /// The stream for thumbnails and poor networks. Default: 160x120 at 5 frames per second.
        public static let low: RID = "low"
    }

    /// The stream.
    public let rid: RID
    /// The temporal layer within the stream. 0 is the base layer, which all others depend on.
    public let temporalIndex: Int

    /// Creates a layer of the stream `rid`. In a stream without temporal layers every frame has index 0.
    public init(rid: RID, temporalIndex: Int = 0) {
        self.rid = rid
        self.temporalIndex = temporalIndex
    }
}

extension StreamLayer.RID: Codable {
    /// Decodes the name from a string.
    ///
    /// - Throws: `DecodingError` unless it is 1 to 15 letters and digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let rid = StreamLayer.RID(validating: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a RID is 1 to 15 letters and digits, not \"\(text)\"")
        }
        self = rid
    }

    /// Encodes the name as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A JSON object whose values are strings, numbers, truth values and null (RFC 8259). Requests have no other values;
/// problem details of servers may have (RFC 9457 §3.2).
struct FlatJSONObject: Equatable {
    /// A member's value.
    enum Value: Equatable {
        case string(String)
        /// A number, as it is written.
        case number(String)
        case bool(Bool)
        case null
    }

    /// The members. Of several with one name the last one counts.
    private(set) var members: [String: Value] = [:]

    /// The treatment of a member whose value is an object or an array.
    enum NestedValues: Equatable {
        case refused
        /// Parsed, and ignored.
        case skipped
    }

    /// Parses a text that is an object of at most 64 members.
    ///
    /// - Parameters:
    ///   - text: the whole text.
    ///   - nested: the treatment of objects and arrays in it.
    /// - Throws: `notJSON` with the offset, `nested`, `tooManyMembers`; `tooDeep` for skipped values.
    init(parsing text: String, nested: NestedValues = .refused) throws(FlatJSONError) {
        var reader = JSONReader(bytes: Array(text.utf8))
        try reader.expect(UInt8(ascii: "{"))
        if !reader.take(UInt8(ascii: "}")) {
            repeat {
                guard members.count < Self.maximumMemberCount else {
                    throw .tooManyMembers(limit: Self.maximumMemberCount)
                }
                let name = try reader.string()
                try reader.expect(UInt8(ascii: ":"))
                if nested == .skipped, try reader.skipNested() { continue }
                members[name] = try reader.value()
            } while reader.take(UInt8(ascii: ","))
            try reader.expect(UInt8(ascii: "}"))
        }
        try reader.expectEnd()
    }

    private static let maximumMemberCount = 64
}

/// Why a text is not a flat object.
enum FlatJSONError: Error, Equatable {
    /// The text is invalid at this byte.
    case notJSON(offset: Int)
    /// The value at that byte is an object or an array.
    case nested(offset: Int)
    /// The object has more members than it may have.
    case tooManyMembers(limit: Int)
    /// The value at that byte is nested deeper than it may be.
    case tooDeep(offset: Int, limit: Int)
}

extension FlatJSONError: CustomStringConvertible {
    var description: String {
        switch self {
        case .notJSON(let offset): "the body is not a JSON object: see byte \(offset)"
        case .nested(let offset): "the body's values must be plain; that at byte \(offset) is an object or an array"
        case .tooManyMembers(let limit): "the body has more than \(limit) members"
        case .tooDeep(let offset, let limit): "the value at byte \(offset) of the body is nested deeper than \(limit)"
        }
    }
}

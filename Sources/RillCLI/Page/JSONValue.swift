import Foundation

/// A JSON value, to traverse an encodable value without its type.
enum JSONValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Encodes a value. Precondition: the value can be encoded as JSON.
    init(_ value: some Encodable) {
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: try JSONEncoder().encode(value))
        } catch {
            preconditionFailure("the value cannot be encoded as JSON: \(error)")
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // The type of a JSON value is found by trying.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// The value as text; a dash for null, arrays and objects.
    var text: String {
        switch self {
        case .null, .array, .object: "–"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): value
        }
    }

    var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    /// The names in an object.
    var keys: [String] {
        if case .object(let values) = self { Array(values.keys) } else { [] }
    }

    subscript(key: String) -> JSONValue {
        if case .object(let values) = self { values[key] ?? .null } else { .null }
    }

    /// The values of an array.
    var items: [JSONValue] {
        if case .array(let values) = self { values } else { [] }
    }

    /// The name of a latency step, from stage to stage.
    var title: String? {
        guard case .string(let from) = self["from"], case .string(let to) = self["to"] else { return nil }
        return "\(from) → \(to)"
    }

    var withoutTitle: JSONValue {
        guard title != nil, case .object(let values) = self else { return self }
        return .object(values.filter { $0.key != "from" && $0.key != "to" })
    }
}

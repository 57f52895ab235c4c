/// A value that a test cannot go on without was `nil`.
package struct Missing: Error {}

/// The value, or ``Missing``: `#require` for types that cannot be copied.
package func existing<Value: ~Copyable>(_ value: consuming Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
}

import Foundation

// Foundation's own `Data(contentsOf:)` leaks its buffer on empty files, which the address sanitizer calls an error.

/// All bytes of a file, or of a pipe until its writer closes it.
package func read(_ path: String) throws -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY)
    guard descriptor >= 0 else { throw TestFailure("\(path) cannot be opened") }
    defer { close(descriptor) }
    var (bytes, block): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 65536))
    while true {
        let count = unsafe Foundation.read(descriptor, &block, block.count)
        guard count >= 0 else { throw TestFailure("\(path) cannot be read") }
        guard count > 0 else { return bytes }
        bytes += block[..<count]
    }
}

/// Writes a file of those bytes.
package func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
}

import Foundation

/// One machine-readable object on standard output: sorted keys, so that equal results are equal bytes.
enum JSONOutput {
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(value)
        try FileHandle.standardOutput.write(contentsOf: data + Data("\n".utf8))
    }
}

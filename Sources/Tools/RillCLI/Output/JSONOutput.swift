import Foundation

/// Prints one JSON object on standard output, with sorted keys, so that equal results are equal bytes.
enum JSONOutput {
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try StandardOutput.print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}

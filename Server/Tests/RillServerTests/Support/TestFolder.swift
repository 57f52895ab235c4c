import Foundation

/// A folder of its own for one test, gone with all that is in it afterwards.
final class TestFolder: Sendable {
    /// Where it is.
    let root: String

    /// Makes it.
    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "rill-server-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)  // what stays behind is the system's to clean up
    }

    /// Writes a file, and returns its path.
    func write(_ text: String, as name: String) throws -> String {
        let path = "\(root)/\(name)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }
}

import Foundation

/// A folder of its own for one test, gone with all that is in it afterwards.
///
/// Make it a stored property of the suite, of which each test gets an instance that lives until the test is over:
///
///     @Suite struct ClipTests {
///         let folder = TemporaryFolder()
///
///         @Test func `Clips can be written`() throws { try write(to: folder.path("clip.y4m")) }
///     }
public final class TemporaryFolder: Sendable {
    /// Where it is, without a slash at the end.
    public let root: String

    /// Makes the folder where the system keeps temporary files. Where that fails no test can run, and this traps.
    public init() {
        root = FileManager.default.temporaryDirectory.appending(path: "rill-test-\(UUID().uuidString)").path
        do {
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        } catch {
            fatalError("no temporary folder: \(error)")
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)  // what stays behind is the system's to clean up
    }

    /// The path of a file of that name in the folder.
    public func path(_ name: String) -> String { "\(root)/\(name)" }
}

import Foundation
import RillCore
import RillTestSupport
import Testing

/// A batch that is killed again and again, and resumed each time.
@Suite struct KilledBatchTests {
    private let folder = TemporaryFolder()
    // With its starts in debug builds each kill takes some seconds.
    private static let killCount = unsafe getenv("RILL_LONG_TESTS") != nil ? 20 : 6

    /// All files below a folder but the manifest, by their paths.
    private func files(in root: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: root) where !path.hasSuffix(".done") {
            var isFolder = ObjCBool(false)
            let isThere = unsafe FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
            if isThere, !isFolder.boolValue { files[path] = try read("\(root)/\(path)") }
        }
        return files
    }

    private func batch(in root: String) throws -> [String] {
        let (small, large) = (
            try movingClip(in: folder, frames: 30), try movingClip(in: folder, frames: 15, width: 200, height: 150)
        )
        let lines = """
            '\(small)' a.ivf --segments 3
            '\(small)' b.webm --codec vp9 --low b-low.ivf
            '\(large)' c.mkv --ladder --thumbnails th --thumbnail-interval 200ms
            '\(small)' d.y4m --fps 15
            '\(large)' e.webm --segments 2 --ladder --pictures e.y4m
            '\(small)' f.ivf --good --quality 30
            """
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try write(Array(lines.utf8), to: root + "/jobs.txt")
        return ["transcode", "--jobs", root + "/jobs.txt", "--resume", "--parallel", "2"]
    }

    /// Waits until a batch holds its manifest, which is when its work begins, or has ended.
    private func waitForBeginning(of program: RunningProgram, in root: String) throws {
        let manifest = unsafe open(root + "/jobs.txt.done", O_RDWR | O_CREAT, 0o666)
        try #require(manifest >= 0)
        defer { close(manifest) }
        while lockf(manifest, F_TEST, 0) == 0, !program.hasEnded { usleep(2000) }
    }

    @Test func `Killed at any moment and resumed, it makes the same files`() throws {
        let (calm, rough) = (folder.path("calm"), folder.path("rough"))
        let program = try rillProgram().start(batch(in: calm))
        try waitForBeginning(of: program, in: calm)
        let begin = Date.now
        let undisturbed = try program.wait()
        let milliseconds = Int(Date.now.timeIntervalSince(begin) * 1000)
        try #require(undisturbed.status == 0, "\(undisturbed.errors)")
        var expected = try files(in: calm)
        expected["jobs.txt"] = nil
        #expect(expected.count == 14, "\(expected.keys.sorted())")

        var generator = SeededGenerator(seed: 20)
        var (kills, batches, halves) = (0, 0, 0)
        while kills < Self.killCount {
            let command = try batch(in: rough)
            let program = try rillProgram().start(command)
            try waitForBeginning(of: program, in: rough)
            usleep(UInt32(Int.random(in: 0...max(1, milliseconds / 2), using: &generator) * 1000))
            try program.kill()
            let outcome = try program.wait()
            var made = try files(in: rough)
            made["jobs.txt"] = nil
            let parts = made.keys.filter { $0.hasSuffix(".part") }
            for (path, bytes) in made where !parts.contains(path) {
                let isComplete = bytes == expected[path]
                #expect(isComplete, "after kill \(kills): \(path) is not whole")
            }
            switch outcome.status {
            case 137:
                kills += 1
                halves += parts.isEmpty ? 0 : 1
            case 0:
                // Done before it could be killed: the next one begins from nothing.
                batches += 1
                #expect(made.keys.sorted() == expected.keys.sorted())
                try FileManager.default.removeItem(atPath: rough)
            default:
                Issue.record("after kill \(kills): \(outcome.status) \(outcome.errors)")
                return
            }
        }
        let last = try rillProgram().run(batch(in: rough))
        #expect(last.status == 0, "\(last.errors)")
        var made = try files(in: rough)
        made["jobs.txt"] = nil
        #expect(made.keys.sorted() == expected.keys.sorted())
        for (path, bytes) in expected {
            let isTheSame = made[path] == bytes
            #expect(isTheSame, "\(path)")
        }
        // Kills that hit nothing in work would prove nothing.
        #expect(halves > 0)
        print("\(kills) kills, \(halves) in the middle of a file, \(batches) batches done in between")
    }
}

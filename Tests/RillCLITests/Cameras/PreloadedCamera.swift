import Foundation
import RillCore
import RillMediaSupport
import RillTestSupport

/// The camera of Tests/FakeCamera, which `rill` finds as /dev/video0.
struct PreloadedCamera {
    /// 160x120 at 30 frames per second.
    static let size = Resolution(width: 160, height: 120)

    /// Why it cannot be used here; `nil` if it can.
    static var obstacle: String? {
        if isSanitized { return "the sanitizers do not run with another library preloaded" }
        return library == nil ? "there is no C compiler" : nil
    }

    private static let folder = TemporaryFolder()

    /// The library, built once.
    private static let library: String? = {
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "FakeCamera/fake-camera.c").path
        let path = folder.path("fake-camera.so")
        guard let compiler = Program(named: "clang") ?? Program(named: "cc") else { return nil }
        let words = ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", path, source, "-ldl"]
        guard let outcome = try? compiler.run(words), outcome.status == 0 else { return nil }
        return path
    }()

    private let folder = TemporaryFolder()
    /// Its habits, as fake-camera.c names them.
    var quirks = ""
    /// Its format, and the buffers that it plays.
    var format = "MJPG"
    var buffers: [[UInt8]]

    /// A camera that plays a few pictures.
    ///
    /// - Parameter habit: what it writes around the blocks of its JPEGs; `nil` for nothing.
    init(_ quirks: String = "", habit: CameraHabit? = nil) {
        self.quirks = quirks
        var random = SeededGenerator(seed: 5)
        buffers = (0..<3).map { number in
            var picture = TestJPEG(Self.size)
            if habit?.hasRestarts ?? false { picture.restartInterval = 5 }
            var parts = JPEGParts(picture.encode { _, x, y in 60 + (x * 2 + y + 20 * number) % 96 })
            habit?.apply(to: &parts, &random)
            return parts.bytes
        }
    }

    /// `rill`, with this camera.
    func program() throws -> Program {
        var frames: [UInt8] = []
        for buffer in buffers {
            for shift in [0, 8, 16, 24] { frames.append(UInt8(buffer.count >> shift & 0xFF)) }
            frames += buffer
        }
        try write(frames, to: folder.path("frames"))
        try FileManager.default.createDirectory(atPath: folder.path("nodes"), withIntermediateDirectories: true)
        try write([], to: folder.path("nodes/video0"))
        var program = try rillProgram()
        program.environment["LD_PRELOAD"] = try existing(Self.library)
        program.environment["FAKE_CAMERA_FRAMES"] = folder.path("frames")
        program.environment["FAKE_CAMERA_NODES"] = folder.path("nodes")
        program.environment["FAKE_CAMERA_FORMAT"] = format
        program.environment["FAKE_CAMERA_SIZE"] = "\(Self.size)"
        program.environment["FAKE_CAMERA_QUIRKS"] = quirks
        return program
    }
}

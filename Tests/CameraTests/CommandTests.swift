import Foundation
import RillTestSupport
import Testing

extension CameraMachineTests {
    /// The command, released, with the kernel's cameras.
    @Suite struct CommandTests {
        private let folder = TemporaryFolder()

        /// The command, read from disk once: while a page of it was waited for, the machine's clock would leap over the
        /// frames of seconds.
        private static let binary = Result { () throws -> String in
            let path = try #require(CameraMachine.environment("RILL_BINARY"))
            _ = try Data(contentsOf: URL(fileURLWithPath: path))
            return path
        }

        private func rill(_ arguments: String...) throws -> RunningProgram.Outcome {
            let program = try #require(Program(path: try Self.binary.get()))
            return try CameraMachine.run(program, arguments)
        }

        private func object(_ outcome: RunningProgram.Outcome) throws -> [String: Any] {
            try #require(outcome.status == 0, "\(outcome.errors)")
            let object = try JSONSerialization.jsonObject(with: Data(outcome.output))
            return try #require(object as? [String: Any])
        }

        @Test func `A camera's frames pass through the whole chain, and both layers are decoded`() throws {
            let outcome = try rill(
                "loopback", "/dev/video0", "--live", "--duration", "6s", "--camera-size", "320x180", "--json")
            let report = try object(outcome)
            let layers = try #require(report["layers"] as? [[String: Any]])
            #expect(layers.count == 2)
            for layer in layers {
                let received = try #require(layer["received"] as? [String: Any])
                #expect(received["framesDecoded"] as? Int ?? 0 > 2, "\(layer["rid"] ?? "")")
            }
            #expect(outcome.errors.contains("opened") && outcome.errors.contains("streaming"), "\(outcome.errors)")
        }

        /// What the camera did for so many frames of MJPEG.
        private func capture(_ frames: Int) throws -> [String: Any] {
            try object(
                try rill(
                    "snapshot", "camera:Rill USB", folder.path("last.png"), "--frames", "\(frames)", "--json",
                    "--camera-size", "1280x720", "--timeout", "\(CameraMachine.longestTest)s"))
        }

        /// Emulated, the machine may take longer for a frame than a thirtieth of a second. The camera then sends the
        /// next one when there is time; what the driver has no buffer for is still a gap.
        @Test func `300 frames of MJPEG at 1280x720 are read without a gap`() throws {
            let plug = try CameraMachine.plugUSBCamera()
            // The first run has its libraries read from disk, too.
            _ = try capture(2)
            let summary = try capture(300)
            #expect(summary["mode"] as? String == "MJPG 1280x720 at 30")
            #expect(summary["framesCaptured"] as? Int == 300)
            #expect(summary["errorFrames"] as? Int == 0 && summary["gaps"] as? Int == 0, "\(summary)")
            _ = plug
        }

        @Test func `Cameras are shown, set, recorded and photographed`() throws {
            let cameras = try rill("cameras", "--json")
            let parsed = try JSONSerialization.jsonObject(with: Data(cameras.output))
            let list = try #require(parsed as? [[String: Any]])
            #expect(list.first?["path"] as? String == "/dev/video0")
            #expect(try rill("cameras").text.contains("brightness"))
            let set = try rill("cameras", "--set", "/dev/video0", "brightness=100")
            #expect(set.status == 0 && set.errors.contains("brightness=100"), "\(set.errors)")
            #expect(try rill("cameras", "/dev/video0", "--set", "brightness=default").status == 0)
            #expect(try rill("cameras", "/dev/video0", "--set", "brightness=1000").status != 0)
            #expect(try rill("cameras", "/dev/video9").status != 0)

            let (clip, picture) = (folder.path("out.ivf"), folder.path("out.png"))
            let summary = try object(
                try rill(
                    "record", "/dev/video0", clip, "--duration", "2s", "--json", "--camera-size", "320x180",
                    "--camera-fps", "10"))
            #expect(summary["framesWritten"] as? Int ?? 0 > 5, "\(summary)")
            #expect(try rill("inspect", clip).text.contains("320x180"))
            #expect(try rill("snapshot", "/dev/video0", picture, "--camera-size", "320x180").status == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: picture)).starts(with: [0x89, 0x50, 0x4E, 0x47]))
        }

        /// Lines of a camera that the documents and the help show. `Scripts/command-lines` runs the other ones.
        @Test func `The documents' lines for cameras work as they are written`() throws {
            var texts = try ["README.md", "Documentation/Rill.docc/Cameras.md"].map {
                try String(contentsOfFile: $0, encoding: .utf8)
            }
            texts += try ["cameras", "snapshot", "record"].map { try rill("help", $0).text }
            let lines = Set(texts.joined(separator: "\n").split(separator: "\n").map { $0.drop(while: "$ ".contains) })
                .filter { $0.firstMatch(of: /^rill (cameras|snapshot|record) ?([^<\[]*)$/) != nil }
                // Names of other cameras, and a control that the kernel's camera does not have.
                .filter { !$0.contains("camera:") && !$0.contains("power_line_frequency") }
            #expect(lines.count >= 6, "\(lines)")
            let shell = try #require(Program(path: "/bin/sh"))
            let binaries = URL(fileURLWithPath: try Self.binary.get()).deletingLastPathComponent().path
            for line in lines.sorted() {
                let script = "cd \(folder.path(".")) && PATH=\(binaries):$PATH && \(line)"
                let outcome = try CameraMachine.run(shell, ["-c", script])
                #expect(outcome.status == 0, "\(line): \(outcome.errors)")
            }
        }
    }
}

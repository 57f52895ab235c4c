import Foundation
import Glibc
import RillTestSupport

/// A WebRTC end in Python: a line of JSON in, a line of JSON out.
final class PythonPeer: WebRTCOther {
    private let folder = TemporaryFolder()
    private let program: RunningProgram
    private let input: Int32
    private var answerCount = 0

    /// aiortc, in the folder that `Scripts/setup peers` makes.
    static var aiortc: Program? { Program(path: ".build/aiortc/bin/python") }

    /// wsproto, in the same folder.
    static var wsproto: Program? {
        // What does not run is not installed.
        guard let python = aiortc, (try? python.run(["-c", "import wsproto"]))?.status == 0 else { return nil }
        return python
    }

    /// GStreamer's `webrtcbin`, with the system's own Python.
    static var gstreamer: Program? {
        guard let python = Program(path: "/usr/bin/python3"),
            let imports = try? python.run([
                "-c",
                "import gi; gi.require_version('GstWebRTC', '1.0'); gi.require_version('Gst', '1.0'); "
                    + "from gi.repository import Gst, GstWebRTC; Gst.init(None); "
                    + "assert Gst.ElementFactory.make('webrtcbin') and Gst.ElementFactory.make('nicesrc')",
            ]), imports.status == 0
        else { return nil }
        return python
    }

    /// - Parameters:
    ///   - python: the Python that has what the script imports.
    ///   - script: the script.
    ///   - arguments: the codec, `VP8` or `VP9`.
    init(_ python: Program, _ script: String, _ arguments: [String], limit seconds: Int = 60) throws {
        let path = folder.path("commands")
        guard unsafe mkfifo(path, 0o600) == 0 else { throw TestFailure("no pipe") }
        // Opened for both, a pipe waits for nobody.
        input = unsafe open(path, O_RDWR)
        program = try python.start(["-u", "-c", script] + arguments, input: path, limit: seconds)
    }

    deinit { close(input) }

    func offer() throws -> String { try ask(["do": "offer"], "sdp") }
    func answer(_ offer: String) throws -> String { try ask(["do": "answer", "sdp": offer], "sdp") }
    func accept(_ answer: String) throws { _ = try ask(["do": "accept", "sdp": answer]) }

    func count() throws -> OtherCounts {
        try JSONDecoder().decode(OtherCounts.self, from: Data(ask(["do": "count"]).utf8))
    }

    private func ask(_ question: [String: String], _ field: String) throws -> String {
        let line = try ask(question)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        guard let text = object?[field] as? String else { throw TestFailure("no \(field) in \(line)") }
        return text
    }

    private func ask(_ question: [String: String]) throws -> String {
        var bytes = Array(try JSONSerialization.data(withJSONObject: question)) + [10]
        while !bytes.isEmpty {
            let count = unsafe write(input, bytes, bytes.count)
            guard count > 0 else { throw TestFailure("the script takes no commands") }
            bytes.removeFirst(count)
        }
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end, !program.hasEnded {
            let lines = program.outputSoFar.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if lines.count > answerCount {
                answerCount += 1
                return String(lines[answerCount - 1])
            }
            usleep(5000)
        }
        throw TestFailure("no answer to \(question["do"] ?? ""): \(program.errorsSoFar.suffix(1500))")
    }
}

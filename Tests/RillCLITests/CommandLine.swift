import Foundation
import RillCore
import RillTestSupport
import RillTransport
import Testing

/// The `rill` that was built beside the tests.
func rillProgram() throws -> Program {
    var program = try Program(builtAs: "rill")
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    // Under the address sanitizer a leak is an exit code of its own.
    program.environment["LSAN_OPTIONS"] =
        "suppressions=\(tests.appending(path: "leaks.suppressions").path):print_suppressions=0"
    return program
}

/// Runs it to its end.
func rill(_ arguments: String..., input: String = "/dev/null") throws -> RunningProgram.Outcome {
    try rillProgram().run(arguments, input: input)
}

/// The report that a page holds as JSON, from which its script draws it.
func report(onPage path: String) throws -> [String: Any] {
    let page = String(decoding: try read(path), as: UTF8.self)
    let start = try #require(page.firstRange(of: #"<script type="application/json" id="report">"#)).upperBound
    let end = try #require(page[start...].firstRange(of: "</script>")).lowerBound
    return try #require(try JSONSerialization.jsonObject(with: Data(page[start..<end].utf8)) as? [String: Any])
}

/// Ports of this machine that are free at present.
func freePorts(_ count: Int) throws -> [String] {
    let sockets = try (0..<count).map { _ in try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)) }
    return sockets.map { "\($0.localAddress.port)" }
}

/// A clip of 30 frames a second in which something moves. The drawn scene would do as well, but an unoptimised build
/// takes a hundred times longer to draw it than to code it.
func movingClip(in folder: TemporaryFolder, frames: Int, width: Int = 64, height: Int = 48) throws -> String {
    var bytes = Array("YUV4MPEG2 W\(width) H\(height) F30:1 C420jpeg\n".utf8)
    for frame in 0..<frames {
        bytes += Array("FRAME\n".utf8)
        for y in 0..<height {
            // A wave that runs to the right, and rows that differ.
            for x in 0..<width { bytes.append(UInt8(40 + (x * 5 + y * 3 + frame * 7) % 96 + (y ^ frame) % 16)) }
        }
        bytes += [UInt8](repeating: UInt8(100 + frame % 40), count: width * height / 4)
        bytes += [UInt8](repeating: UInt8(150 - frame % 40), count: width * height / 4)
    }
    let path = folder.path("moving-\(frames)-\(width)x\(height).y4m")
    try write(bytes, to: path)
    return path
}

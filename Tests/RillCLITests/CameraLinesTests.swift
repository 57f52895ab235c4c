import RillCapture
import RillCore
import Testing

@testable import RillCLI

/// What is printed about a camera.
@Suite struct CameraLinesTests {
    private func time(_ seconds: Double) -> MediaTime { .zero + .seconds(seconds) }

    @Test func `Of frames that are all damaged one is reported, then a count each ten seconds`() {
        var lines = CameraLines()
        var printed: [(Double, String)] = []
        for index in 0..<750 {
            let now = Double(index) / 30
            for line in lines.add(.errorFrame(.notDecodable), at: time(now)) { printed.append((now, line)) }
        }
        #expect(printed.map(\.0) == [0, 10, 20])
        #expect(printed.first?.1 == "dropped a frame: not a JPEG of the agreed kind and size")
        #expect(
            printed.last?.1 == "dropped 300 more frames in 10.000s; the last: not a JPEG of the agreed kind and size")
    }

    @Test func `Other events are reported at once, after the count`() {
        var lines = CameraLines()
        #expect(lines.add(.streaming, at: time(0)) == ["streaming"])
        _ = lines.add(.errorFrame(.flagged), at: time(1))
        #expect(lines.add(.errorFrame(.flagged), at: time(2)) == [])
        #expect(
            lines.add(.busy, at: time(3)) == [
                "dropped 1 more frame in 2.000s; the last: the driver marked it as damaged",
                "busy: another program uses it",
            ])
        #expect(lines.add(.busy, at: time(4)).count == 1)
    }
}

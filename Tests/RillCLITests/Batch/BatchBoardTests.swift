import RillCore
import Testing

@testable import Rill
@testable import RillCLI
@testable import RillTranscode

struct BatchBoardTests {
    private func jobs(_ count: Int) throws -> [BatchJob] {
        let lines = (1...count).map { "in/clip-\($0).mp4 out/clip-\($0).webm" }
        return try JobList.jobs(
            of: Array(lines.joined(separator: "\n").utf8), path: "jobs.txt", common: CommonWords([]))
    }

    private func running(_ frames: Int, of count: Int?) -> BatchRun.Status {
        var progress = TranscodeProgress(outputs: [])
        (progress.framesRead, progress.totalFrames) = (frames, count)
        return .running(progress, frameCount: count)
    }

    @Test func `Each job in work has a line, and all together have one`() throws {
        let snapshot = BatchRun.Snapshot(
            statuses: [
                .ended(BatchResult(CommandError("no room"))), running(50, of: 100), running(7, of: nil),
                .running(nil, frameCount: nil), .waiting,
            ], ended: [0])
        let lines = BatchBoard.lines(snapshot, try jobs(5), seconds: 30, height: 20)
        #expect(
            lines == [
                "clip-2.webm  ████████░░░░░░░░  50 %  50/100 frames",
                "clip-3.webm  ░░░░░░░░░░░░░░░░   0 %  7 frames",
                "clip-4.webm  ░░░░░░░░░░░░░░░░   0 %  0 frames",
                // One and a half of five in 30 s.
                "all          ████░░░░░░░░░░░░  30 %  1/5 files, 57 frames, 1:10 left",
            ])
    }

    @Test func `More jobs than the terminal has rows are left out`() throws {
        let snapshot = BatchRun.Snapshot(statuses: (0..<30).map { _ in running(1, of: 4) })
        let lines = BatchBoard.lines(snapshot, try jobs(30), seconds: 7200, height: 5)
        #expect(lines.count == 5 && lines[3].hasPrefix("clip-4.webm"))
        #expect(lines[4].hasSuffix("25 %  0/30 files, 30 frames, 6:00:00 left"), "\(lines[4])")
    }

    @Test(arguments: [10, 20, 39, 45, 60, 79])
    func `A narrow terminal has shorter bars, then none, and no line that wraps`(length: Int) throws {
        let snapshot = BatchRun.Snapshot(statuses: [running(50, of: 100), running(7, of: nil)])
        let lines = BatchBoard.lines(snapshot, try jobs(2), seconds: 30, height: 20, length: length)
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.columnCount <= length }, "\(lines)")
        if length == 45 { #expect(lines[0] == "clip-1.webm    50 %  50/100 frames", "\(lines)") }
    }
}

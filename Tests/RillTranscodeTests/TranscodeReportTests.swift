import Foundation
import RillCore
import Testing

@testable import RillTranscode

@Suite struct TranscodeReportTests {
    private struct Unplugged: Error, CustomStringConvertible { var description: String { "it was unplugged" } }

    @Test func `A report is readable, and round-trips through JSON`() throws {
        var report = TranscodeReport()
        report.framesRead = 150
        report.duration = .seconds(5)
        report.outputs = [TranscodeReport.Output(), TranscodeReport.Output()]
        report.outputs[0].framesWritten = 150
        report.outputs[0].keyFramesWritten = 1
        #expect(
            "\(report)"
                == """
                150 frames read, 5.000s
                  output 1  framesWritten 150, keyFramesWritten 1
                  output 2  nothing
                """)
        report.sourceFailure = Unplugged()
        #expect("\(report)".hasPrefix("150 frames read, 5.000s, then it was unplugged\n"))
        var progress = TranscodeProgress(outputs: report.outputs)
        progress.mediaTime = .milliseconds(2500)
        let back = try JSONDecoder().decode(TranscodeProgress.self, from: JSONEncoder().encode(progress))
        #expect(back == progress)
    }
}

import RillCore
import RillMediaSupport
import Testing

@testable import Rill

struct SendTapsTests {
    @Test func `Every sink is finished though one fails`() throws {
        struct DiskFull: Error {}
        final class FullDisk: FrameSink {
            func consume(_ frame: VideoFrame) {}
            func finish() throws { throw DiskFull() }
        }
        let preview = PictureRecording()
        let pipeline = try SendPipeline(
            SendSettings(layers: [.low], seed: 1), taps: SendTaps(captured: FullDisk(), preprocessed: preview))
        #expect(throws: DiskFull.self) { try pipeline.finish() }
        #expect(preview.isFinished)
    }
}

// library-transcode: RillTranscode alone. Encodes an app's own source at full and at half size, into memory, as fast as
// the machine allows.

import RillCodec
import RillCore
import RillTranscode

/// Two seconds of a dark bar that moves down a bright wall.
final class FallingBar: FrameSource {
    let format = SourceFormat(resolution: .vga, frameRate: 30, frameCount: 60)
    private let pool: FramePool
    private var count = 0

    init() throws { pool = try FramePool(resolution: .vga, capacity: 8) }

    func next() -> SourceOutput {
        guard count < 60 else { return .end }
        guard var frame = pool.makeFrame() else { return .noBuffer }
        var planes = frame.planes
        for y in 0..<480 {
            var row = planes.y.row(y)
            row.update(repeating: (7 * count..<7 * count + 40).contains(y) ? 60 : 180)
        }
        planes.u.fill(110)
        planes.v.fill(140)
        count += 1
        return .frame(frame.finish(captureTime: FrameRate(30).time(ofFrame: count - 1)))
    }
}

/// Encoded frames in memory, one after the other. A thread of the transcoder calls it; read it once the transcoder is
/// done.
final class CodedBytes: EncodedFrameSink {
    private(set) var bytes: [UInt8] = []

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) {
        for index in payload.indices { bytes.append(payload[index]) }
    }

    func finish() {}
}

var low = LayerSettings.high(Resolution(width: 320, height: 240), bitrate: .kilobits(200), codec: .vp9)
low.rid = .low
let (full, half) = (CodedBytes(), CodedBytes())
let outputs: [Transcoder.Output] = [.encoded(.high(.vga, bitrate: .kilobits(600)), full), .encoded(low, half)]
let report = try Transcoder(source: try FallingBar(), outputs: outputs).run()
let isComplete = report.outputs.map(\.bytesEncoded) == [full.bytes.count, half.bytes.count]
print(
    "\(report.framesRead) frames to \(report.outputs.map(\.framesWritten)), \(report.duration), all bytes: \(isComplete)"
)

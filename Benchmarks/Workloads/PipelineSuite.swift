import Clips
import Rill
import RillLab
import RillLink
import RillReceive

extension Suite {
    static let pipelineWorkloads: [Workload] = [
        Workload(.pipeline, "send", of: .clipFrame, count: 6, floor: "codec/vp8-bare-loop") { material in
            let pictures = try material.pictures()
            var settings = SendSettings(layers: material.layers(.vp8), seed: 1)
            settings.adaptation = nil
            let pipeline = try PacketSender(settings)
            var byteCount = 0
            let packets = PacketTap { packet, _ in byteCount += packet.count }
            return { count in
                for _ in 0..<count {
                    let frame = pictures.nextPicture()
                    try pipeline.send(frame, at: frame.captureTime, to: packets)
                    pipeline.sendReports(at: frame.captureTime, to: packets)
                }
                return byteCount
            }
        },
        Workload(.pipeline, "receive", of: .clipFrame, count: 15, floor: "codec/vp8-decode-high") { material in
            let call = try RecordedCall(material.packets())
            return { count in try call.receive(pictures: count) }
        },
        Workload(.pipeline, "loopback", of: .clipFrame, count: 12) { material in
            let frames = try material.frames.get()
            return { count in
                var settings = LoopbackSettings(
                    layers: [.high(.vga, bitrate: .suggested(for: .vga)), .low],
                    network: try LinkSettings(notation: "delay=40ms,jitter=5ms,loss=1%"))
                settings.measuresQuality = false
                let report = try Loopback(settings) { Pendulum(frames, count: count) }.runInVirtualTime()
                guard report.framesCaptured == count else { throw NoResult() }
                return report.layers[0].received.framesDecoded
            }
        },
    ]
}

/// Plays recorded packets into a whole receiving side, in repeated rounds.
private final class RecordedCall {
    private var stream: RecordedStream
    private let pipeline: ReceivePipeline<PacketTap>
    private let screen: Screen
    private var position: RecordedStream.Position
    private var wakeTime = MediaTime.distantFuture

    private final class Screen: FrameSink {
        var (count, sum) = (0, 0)

        func consume(_ frame: VideoFrame) {
            count += 1
            sum &+= Int(frame.y[0, 0])
        }

        func finish() {}
    }

    init(_ stream: RecordedStream) throws {
        self.stream = stream
        screen = Screen()
        position = stream.position(of: 0)
        let buffer = JitterBufferSettings(payloadType: stream.payloadType)
        pipeline = try ReceivePipeline(
            ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(1)), sink: screen, feedback: PacketTap { _, _ in })
    }

    /// Inserts packets until `count` more pictures are shown.
    func receive(pictures count: Int) throws -> Int {
        let end = screen.count + count
        while screen.count < end {
            let now = stream.time(at: position)
            while wakeTime <= now { wakeTime = try pipeline.poll(at: wakeTime) }
            stream.withPacket(at: position) { _ = pipeline.insert($0, at: now) }
            wakeTime = try pipeline.poll(at: now)
            stream.advance(&position)
        }
        return screen.sum
    }
}

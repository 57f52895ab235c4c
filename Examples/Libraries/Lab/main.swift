// library-lab: RillLab alone. Sends two seconds of both layers to itself over a network that loses packets, through
// every stage in virtual time. A second run gives exactly the same results.

import RillCodec
import RillCore
import RillLab
import RillLink

/// A dark bar that moves down a bright wall.
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

func call() throws -> [LoopbackReport.Layer] {
    let network = try LinkSettings(notation: "loss=2%,delay=40ms,seed=7")
    let settings = LoopbackSettings(layers: [.high(.vga, bitrate: .kilobits(800)), .low], network: network)
    return try Loopback(settings) { try FallingBar() }.runInVirtualTime().layers
}

for (layer, again) in zip(try call(), try call()) {
    let (psnr, same) = (layer.quality?.psnrY ?? 0, layer.quality?.psnrY == again.quality?.psnrY)
    print("\(layer.rid): \(layer.received.framesShown) of \(layer.sent.framesEncoded) frames,", terminator: " ")
    print("PSNR-Y above 35 dB: \(psnr > 35), second run identical: \(same)")
}

import Rill
import RillFiles
import RillTranscode

extension Suite {
    static let transcodeWorkloads: [Workload] = [
        Workload(.transcode, "y4m-to-ivf", of: .clipFrame, count: 6, floor: "codec/vp8-encode-high") { material in
            let clip = try Y4MClip(path: material.path(.clip))
            let layer = material.layers(.vp8)[0]
            return { count in
                var (written, byteCount) = (0, 0)
                while written < count {
                    let length = min(count - written, Material.frameCount)
                    let writer = try IVFWriter(path: "/dev/null", codec: .vp8, resolution: layer.resolution)
                    let transcoder = Transcoder(
                        source: try clip.open(frames: 0..<length), outputs: [.encoded(layer, writer)])
                    let report = try transcoder.run()
                    guard report.framesRead == length else { throw NoResult() }
                    written += length
                    byteCount += report.outputs[0].bytesEncoded
                }
                return byteCount
            }
        }
    ]
}

// library-codec: RillCodec alone. Encodes and decodes a second of a moving pattern with each codec.

import RillCodec
import RillCore
import RillImage

let pool = try FramePool(resolution: .vga, capacity: 2)

func pattern(_ number: Int) -> VideoFrame? {
    guard var frame = pool.makeFrame() else { return nil }
    var planes = frame.planes
    for y in 0..<480 {
        var row = planes.y.row(y)
        for x in 0..<640 { row[x] = UInt8(64 + ((x + 2 * number) / 16 + y / 24) % 8 * 16) }
    }
    planes.u.fill(110)
    planes.v.fill(140)
    return frame.finish(captureTime: FrameRate(30).time(ofFrame: number))
}

for codec in VideoCodec.allCases {
    let encoder = try VPXEncoder(
        EncoderSettings(codec), layer: StreamLayer(rid: .high), resolution: .vga, frameRate: 30,
        bitrate: .kilobits(800))
    let decoder = try VPXDecoder(codec, maximumPixelCount: Resolution.vga.pixelCount)
    var (meter, keyFrames) = (QualityMeter(), 0)
    for number in 0..<30 {
        guard let picture = pattern(number) else { continue }
        try encoder.encode(picture) { frame, bytes in
            keyFrames += frame.isKey ? 1 : 0
            guard case .picture(let decoded) = try decoder.decode(bytes, captureTime: frame.captureTime) else { return }
            meter.add(PictureDifference(between: picture, and: decoded))
        }
    }
    let isGood = (meter.psnr?.y ?? 0) > 30
    print("\(codec.rawValue): \(meter.count) pictures, \(keyFrames) of them key frames, PSNR-Y above 30 dB: \(isGood)")
}

// library-webrtc: RillWebRTC alone. Two calls of this process meet as a call and a browser do: by offer and answer,
// ICE, DTLS and SRTP. One sends a picture that becomes brighter, the other shows what arrives.

import RillWebRTC

/// Three seconds of grey pictures.
final class Dawn: FrameSource {
    let format = SourceFormat(resolution: .vga, frameRate: FrameRate(30), frameCount: 90)
    private let pool: FramePool
    private var sent = 0

    init() throws { pool = try FramePool(resolution: .vga, capacity: 8) }

    func next() throws -> SourceOutput {
        guard sent < 90 else { return .end }
        guard var frame = pool.makeFrame() else { return .noBuffer }
        var planes = frame.planes
        planes.y.fill(UInt8(40 + 2 * sent))
        planes.u.fill(128)
        planes.v.fill(128)
        sent += 1
        return .frame(frame.finish(captureTime: FrameRate(30).time(ofFrame: sent - 1)))
    }
}

let camera = try VideoCall(
    VideoCallSettings(layers: [.high(.vga, bitrate: .kilobits(300))]), source: Dawn())
let viewer = try VideoCall(VideoCallSettings(layers: []), source: nil)
let ports = try [camera, viewer].map { try WebRTCPort(for: $0, announcing: [.loopback]) }

// A browser makes the offer in a page; the texts travel by the app's signaling.
let them = try ports[1].offer(to: "camera")
let browser = try ports[0].answer(them.localDescription, from: "viewer")
try them.accept(browser.localDescription)
let (pictures, arrived) = AsyncStream.makeStream(of: Int.self)
try them.participant?.show(on: FrameTap { picture in arrived.yield(Int(picture.y[320, 240])) })

for await state in them.states {
    print(state)
    if state == .connected { break }
}
var brightness: [Int] = []
for await picture in pictures {
    brightness.append(picture)
    if brightness.count == 10 { break }
}
let isBrighter = brightness[9] >= brightness[0] + 15
print("10 pictures, the last brighter than the first: \(isBrighter)")
await camera.end()
await viewer.end()

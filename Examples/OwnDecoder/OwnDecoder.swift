// own-decoder FILE.rtpdump
//
// A receiver for an app that has its own decoder: packets go in as they arrived, complete frames come out in decoding
// order, each when it is due. It links RillReceive, and with it neither a codec nor Foundation.

import RillCore
import RillRTP
import RillReceive

@main
struct OwnDecoder {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else { return print("usage: own-decoder FILE.rtpdump") }
        var recording = try PacketRecording(path: CommandLine.arguments[1])
        var receiver = Receiver()
        var packet: [UInt8] = []
        while let time = recording.next(into: &packet) {
            receiver.play(until: time)
            receiver.insert(packet, at: time)
        }
        receiver.play(until: receiver.now + .seconds(1))
        print(
            "\(receiver.decoder.frameCount) frames, \(receiver.decoder.keyFrameCount) of them key frames,",
            terminator: " ")
        print("\(receiver.decoder.byteCount) bytes")
    }
}

/// The jitter buffer and the decoder that it feeds. The caller passes the time: here from the recording, in a call from
/// the monotonic clock.
struct Receiver: ~Copyable {
    var decoder = Decoder()
    private(set) var now = MediaTime.zero
    private var wakeTime = MediaTime.zero
    private var frame: [UInt8] = []
    /// Accepts the first stream that it sees, or the one whose SSRC is in its settings.
    private var buffer = JitterBuffer(JitterBufferSettings(payloadType: PayloadType(96)))

    init() {}

    mutating func insert(_ packet: [UInt8], at time: MediaTime) {
        switch buffer.insert(packet.span, at: time) {
        case .wrongSSRC, .wrongPayloadType: break  // a packet of another stream: the recording has all layers
        case .malformed(let error): print("not RTP: \(error)")
        default: wakeTime = time
        }
    }

    /// Decodes the frames that are due until `end`.
    mutating func play(until end: MediaTime) {
        while wakeTime <= end {
            now = max(now, wakeTime)
            switch buffer.poll(at: now, into: &frame) {
            case .frame: decoder.decode(frame, isShown: buffer.releasedFrame.isShown, at: now)
            case .requestPackets: print("\(now): send a NACK for \(buffer.requestedPackets)")
            case .requestKeyFrame: print("\(now): send a PLI")
            case .wait(until: let time): wakeTime = time
            }
        }
        now = max(now, end)
    }
}

/// Your decoder goes here. This one only reads the frames' headers, so that the example needs no codec.
struct Decoder {
    private(set) var frameCount = 0
    private(set) var keyFrameCount = 0
    private(set) var byteCount = 0

    mutating func decode(_ frame: [UInt8], isShown: Bool, at time: MediaTime) {
        frameCount += 1
        byteCount += frame.count
        guard let header = try? VP8FrameHeader(parsing: frame.span) else { return print("\(time): not a VP8 frame") }
        guard let keyFrame = header.keyFrame else { return }
        keyFrameCount += 1
        print("\(time): a key frame of \(keyFrame.width)x\(keyFrame.height), \(frame.count) bytes")
    }
}

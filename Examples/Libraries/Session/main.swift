// library-session: RillSession alone, in an app that has its own codec and network. Two ends send each other ten
// frames. The network delays packets by 20 ms and loses one, which is retransmitted. Time is virtual.

import RillSession

/// One end of the call: it sends a frame every 33 ms and counts the frames that arrive.
final class End {
    let session: RTPSession
    let camera: SendingStreamID
    /// Datagrams in flight to the other end, and when they arrive.
    var way: [(time: MediaTime, datagram: [UInt8])] = []
    var wakeUp = MediaTime.zero
    var (sent, received) = (0, 0)
    private var bytes: [UInt8] = []
    private var mediaCount = 0

    init(_ stream: RTPStreamSettings, seed: UInt64) throws(SessionError) {
        session = RTPSession(RTPSessionSettings(canonicalName: "end-\(seed)", seed: seed))
        camera = try session.send(stream)
    }

    /// Sends a frame if one is due.
    func capture(at now: MediaTime) {
        guard sent < 10, FrameRate(30).time(ofFrame: sent) <= now else { return }
        var payload = [UInt8](repeating: UInt8(sent), count: 3000)
        let head: [UInt8] = sent == 0 ? [0x10, 0, 0, 0x9D, 0x01, 0x2A, 160, 0, 120, 0] : [0x11, 0, 0]
        payload.replaceSubrange(0..<head.count, with: head)
        let references = sent == 0 ? FrameReferences() : FrameReferences(Int64(sent) - 1)
        let frame = EncodedFrame(
            codec: .vp8, layer: StreamLayer(rid: .high), number: Int64(sent), references: references, isKey: sent == 0,
            resolution: Resolution(width: 160, height: 120), captureTime: now, byteCount: payload.count)
        session.send(frame, payload: payload.span, of: camera, at: now)
        sent += 1
    }

    /// Handles all pending actions.
    func work(at now: MediaTime) {
        while true {
            switch session.poll(at: now, into: &bytes) {
            case .transmit(let packet):
                if packet.kind == .media { mediaCount += 1 }
                // The tenth packet is lost.
                if packet.kind != .media || mediaCount != 10 { way.append((now + .milliseconds(20), bytes)) }
            case .decode(of: let stream):
                received += 1
                let frame = session.releasedFrame
                session.finish(frame, of: stream, .decoded, picture: frame.frame.resolution, decoded: now, at: now)
            case .event(.connected(let time)): print("connected at \(time)")
            case .event(.firstPicture(_, let size, let time)): print("a picture of \(size) after \(time)")
            case .event(.packetsRequested(_, let count)) where sent < 10: print("\(count) packet NACKed")
            case .event, .makeKeyFrame, .payload: break
            case .wait(until: let time):
                wakeUp = time
                return
            }
        }
    }
}

var random = SystemRandomNumberGenerator()
let streams = (0..<2).map { _ in
    var stream = RTPStreamSettings(payloadType: PayloadType(96), canonicalName: "end", using: &random)
    stream.retransmission = RetransmissionSettings(payloadType: PayloadType(97), using: &random)
    return stream
}
let ends = [try End(streams[0], seed: 1), try End(streams[1], seed: 2)]
for (end, theirs) in [(ends[0], streams[1]), (ends[1], streams[0])] {
    let description = StreamDescription(of: theirs, codec: .vp8)
    _ = try end.session.receive(StreamReceiverSettings(description, ssrc: SSRC(0)), at: .zero)
}
for millisecond in 0..<2000 {
    let now = MediaTime.zero + .milliseconds(millisecond)
    for (end, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
        end.capture(at: now)
        while let next = other.way.first, next.time <= now {
            end.session.insert(next.datagram.span, at: now)
            other.way.removeFirst()
        }
        end.work(at: now)
    }
}
for end in ends {
    print("\(end.received) of 10 frames arrived, round trip \(end.session.statistics.roundTrip.roundTripTime ?? .zero)")
}
guard ends.allSatisfy({ $0.received == 10 }) else { fatalError("frames are missing") }

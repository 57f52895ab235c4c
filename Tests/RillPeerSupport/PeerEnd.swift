package import RillCore
import RillPacketSupport
package import RillPeer
import RillRTP
package import RillReceive
package import RillSession

/// A connection in virtual time: what became of it, and cameras whose frames nobody could decode.
package final class PeerEnd: NetworkEnd {
    package let peer: PeerConnection
    package private(set) var events: [(time: MediaTime, event: PeerEvent)] = []
    package private(set) var results: [PeerInsertResult] = []
    /// Frames that were to be decoded, of each stream.
    package private(set) var decoded: [ReceivingStreamID: [ReceivedFrame]] = [:]
    package private(set) var keyFrameRequests: [SendingStreamID: Int] = [:]
    /// Payloads of audio, in the order of arrival.
    package private(set) var payloads: [(stream: ReceivingStreamID, payload: ReceivedPayload, bytes: [UInt8])] =
        []
    /// Datagrams that were sent.
    package private(set) var sent: [[UInt8]] = []
    /// Whether what was sent, and what became of what came, is kept.
    package var keepsDatagrams = true
    /// Whether all is kept; a day of it would fill the memory.
    package var isLogging = true
    /// The most that a key frame and another frame have, in bytes.
    package var frameByteCount = (key: 6000, delta: 2000)
    /// The same of the layers behind the first; `nil` for no other.
    package var smallFrameByteCount: (key: Int, delta: Int)?
    /// Whether key frames are made so that nobody can parse them.
    package var isGarbled = false
    /// Changes the bytes of each frame, as encryption does; `nil` for none.
    package var transform: ((_ bytes: inout [UInt8], _ isKey: Bool) -> Void)?
    /// Whether a request for one layer is answered with key frames on all, as Chromium does.
    package var answersOnAll = false
    /// Key frames that were sent, of each stream.
    package private(set) var keyFramesSent: [SendingStreamID: Int] = [:]
    private var cameras: [Camera] = []
    private var bytes: [UInt8] = []

    private struct Camera {
        let stream: SendingStreamID
        let interval: MediaDuration
        var resolution: Resolution
        var codec = VideoCodec.vp8
        var number: Int64 = 0
        var nextTime: MediaTime
        var isKeyWanted = true
        var isRunning = true
    }

    package init(_ peer: PeerConnection) { self.peer = peer }

    /// Films on each stream that is sent, and that nobody films yet: the first with 30 frames a second, others with 5,
    /// or all at another rate.
    package func film(from start: MediaTime, every interval: MediaDuration? = nil) {
        for (index, stream) in peer.sendingStreams.enumerated()
        where !cameras.contains(where: { $0.stream == stream.id }) {
            cameras.append(
                Camera(
                    stream: stream.id, interval: interval ?? .milliseconds(index == 0 ? 33 : 200),
                    resolution: index == 0 ? .vga : Resolution(width: 160, height: 120), nextTime: start))
        }
    }

    /// Goes over to another codec, and perhaps another size, with a key frame and without an offer, as Chromium does by
    /// `encodings[i].codec`.
    package func change(to codec: VideoCodec, _ resolution: Resolution? = nil, camera index: Int = 0) {
        (cameras[index].codec, cameras[index].isKeyWanted) = (codec, true)
        cameras[index].resolution = resolution ?? cameras[index].resolution
    }

    /// Stops a camera, or goes on with it: like an encoder, with a key frame.
    package func setRunning(_ isRunning: Bool, camera index: Int, at now: MediaTime) {
        (cameras[index].isRunning, cameras[index].isKeyWanted) = (isRunning, true)
        cameras[index].nextTime = max(cameras[index].nextTime, now)
    }

    package func take(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) {
        var bytes = datagram.array
        var span = bytes.mutableSpan
        let result = peer.insert(&span, on: path, at: now)
        if isLogging, keepsDatagrams { results.append(result) }
    }

    package func advance(to now: MediaTime, transmit: (ICEPath, [UInt8]) -> Void) -> MediaTime {
        var next = film(at: now)
        for _ in 0..<100_000 {
            switch peer.poll(at: now, into: &bytes) {
            case .transmit(on: let path):
                if isLogging, keepsDatagrams { sent.append(bytes) }
                transmit(path, bytes)
            case .decode(of: let stream):
                guard let session = peer.session else { preconditionFailure("a frame without a session") }
                let frame = session.releasedFrame
                if isLogging { decoded[stream, default: []].append(frame) }
                session.finish(
                    frame, of: stream, .decoded, picture: frame.frame.resolution, decoded: now, at: now)
            case .payload(let stream, let payload): payloads.append((stream, payload, bytes))
            case .makeKeyFrame(of: let stream):
                keyFrameRequests[stream, default: 0] += 1
                for index in cameras.indices where answersOnAll || cameras[index].stream == stream {
                    cameras[index].isKeyWanted = true
                }
            case .event(let event): if isLogging || !event.isReport { events.append((now, event)) }
            case .wait(until: let time):
                precondition(time > now, "the connection waits until \(time), and it is \(now)")
                next = min(next, time)
                return next
            }
        }
        preconditionFailure("polling does not come to an end")
    }

    private func film(at now: MediaTime) -> MediaTime {
        for index in cameras.indices where cameras[index].isRunning && cameras[index].nextTime <= now {
            let camera = cameras[index]
            cameras[index].nextTime = camera.nextTime + camera.interval
            let allowance = peer.session?.allowance(at: now)
            guard allowance?.obstacle == nil else { continue }
            // Cameras have equal shares, and no more than they need.
            let bits = Double(allowance?.nextFrameBitrate.bitsPerSecond ?? 10_000_000) / Double(cameras.count)
            let sizes = index > 0 ? smallFrameByteCount ?? frameByteCount : frameByteCount
            let most = camera.isKeyWanted ? sizes.key : sizes.delta
            let byteCount = min(max(Int(bits * camera.interval.seconds / 8), 50), most)
            var (frame, payload) = SyntheticFrame.make(
                camera.number, isKey: camera.isKeyWanted, camera.resolution, at: now, byteCount: byteCount,
                codec: camera.codec)
            // The start code of VP8 (RFC 6386 §9.1).
            if isGarbled, camera.isKeyWanted { payload[3] ^= 0xFF }
            transform?(&payload, camera.isKeyWanted)
            cameras[index].number += 1
            if peer.send(frame, payload: payload.span, of: camera.stream, at: now) != nil {
                if camera.isKeyWanted { keyFramesSent[camera.stream, default: 0] += 1 }
                cameras[index].isKeyWanted = false
            }
        }
        return cameras.filter(\.isRunning).map(\.nextTime).min() ?? .distantFuture
    }

    /// When the state first became this one.
    package func time(of state: PeerConnectionState) -> MediaTime? {
        events.first { if case .stateChanged(_, to: state) = $0.event { true } else { false } }?.time
    }

    package var states: [PeerConnectionState] {
        events.compactMap { if case .stateChanged(_, to: let state) = $0.event { state } else { nil } }
    }

    package var failure: PeerError? {
        for case (_, .failed(let error)) in events { return error }
        return nil
    }
}

extension PeerEvent {
    /// It comes with every report.
    fileprivate var isReport: Bool {
        switch self {
        case .session: true
        case .stateChanged, .streamsChanged, .failed, .ice, .warning, .keysAgreed: false
        }
    }
}

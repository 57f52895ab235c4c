import RillCore
import RillLink
import RillPacketSupport
import RillRTP
import RillReceive
import RillSend
import RillSession

/// One end of a call in virtual time: a session, streams of made-up frames that it sends, and what became of it.
final class Endpoint {
    let session: RTPSession
    private(set) var events: [SessionEvent] = []
    private(set) var frames: [ReceivedFrame] = []
    /// Which stream each of them was of.
    private(set) var streams: [ReceivingStreamID] = []
    private(set) var keyFrameRequests = 0
    /// Datagrams of RTCP that were sent, and when.
    private(set) var feedback: [(bytes: [UInt8], time: MediaTime)] = []
    private(set) var datagramCount = 0
    /// Whether everything is written down; a day of it would fill the memory.
    var isLogging = true
    private(set) var frameCount = 0
    /// Frames that its cameras have given, and key frames among them, of each.
    private(set) var encodedFrames: [SendingStreamID: (all: Int, key: Int)] = [:]
    /// How often the other side wanted a stream again.
    private(set) var resumptions: [SendingStreamID: Int] = [:]
    /// Is told of each frame that is to be decoded.
    var decode: ((ReceivedFrame, ReceivingStreamID, MediaTime) -> Void)?
    /// Is told of each payload of audio.
    var play: ((ReceivedPayload, [UInt8], ReceivingStreamID, MediaTime) -> Void)?
    /// Is told of each event, when it comes.
    var handle: ((SessionEvent, MediaTime) -> Void)?
    /// Cameras rest while their stream is paused.
    var followsPauses = true
    private var sources: [FrameClock] = []
    private var bytes: [UInt8] = []
    private(set) var wakeTime = MediaTime.zero

    /// Frames of one stream.
    private struct FrameClock {
        var stream: SendingStreamID
        var interval: MediaDuration
        var byteCount: Int
        var number: Int64 = 0
        var nextTime: MediaTime
        var isKeyFrameWanted = true
        var resolution: Resolution
        var isRunning = true
        /// The other side does not want it.
        var isPaused = false
        var isActive: Bool { isRunning && !isPaused }
    }

    init(_ settings: RTPSessionSettings) { session = RTPSession(settings) }

    convenience init(seed: UInt64) { self.init(RTPSessionSettings(canonicalName: "end-\(seed)", seed: seed)) }

    /// Sends frames on a stream from `start` on.
    func addCamera(
        _ stream: SendingStreamID, every interval: MediaDuration = .milliseconds(33), byteCount: Int = 3000,
        _ resolution: Resolution = .vga, from start: MediaTime = .zero
    ) {
        sources.append(
            FrameClock(
                stream: stream, interval: interval, byteCount: byteCount, nextTime: start, resolution: resolution))
    }

    /// Stops or goes on with all cameras.
    func setRunning(_ isRunning: Bool, at now: MediaTime) {
        for index in sources.indices {
            sources[index].isRunning = isRunning
            if isRunning { sources[index].nextTime = max(sources[index].nextTime, now) }
        }
    }

    /// Mutes a stream, or ends that. Its camera goes on.
    func setMuted(_ isMuted: Bool, of stream: SendingStreamID, at now: MediaTime) {
        session.setMuted(isMuted, of: stream, at: now)
        wakeTime = now
    }

    /// Forgets a stream's camera.
    func removeCamera(_ stream: SendingStreamID) { sources.removeAll { $0.stream == stream } }

    /// When it has something to do.
    var nextTime: MediaTime {
        var next = wakeTime
        for source in sources where source.isActive { next = min(next, source.nextTime) }
        return next
    }

    /// Does what is due; `send` gets the datagrams.
    func wake(at now: MediaTime, send: (Span<UInt8>) -> Void) {
        for index in sources.indices where sources[index].isActive && sources[index].nextTime <= now {
            sendFrame(of: index, at: now)
        }
        while true {
            switch session.poll(at: now, into: &bytes) {
            case .transmit(let packet):
                datagramCount += 1
                if packet.kind == .rtcp, isLogging { feedback.append((bytes, now)) }
                send(bytes.span)
            case .decode(let stream):
                let frame = session.releasedFrame
                frameCount += 1
                decode?(frame, stream, now)
                if isLogging {
                    frames.append(frame)
                    streams.append(stream)
                }
                session.finish(
                    frame, of: stream, .decoded, picture: frame.isShown ? frame.frame.resolution : nil, decoded: now,
                    at: now)
            case .payload(let stream, let payload): play?(payload, bytes, stream, now)
            case .makeKeyFrame(let stream):
                keyFrameRequests += 1
                for index in sources.indices where sources[index].stream == stream {
                    sources[index].isKeyFrameWanted = true
                }
            case .event(let event):
                if isLogging || !event.isStatistics { events.append(event) }
                note(event, at: now)
                handle?(event, now)
            case .wait(let time):
                wakeTime = time
                return
            }
        }
    }

    private func note(_ event: SessionEvent, at now: MediaTime) {
        if case .resumeRequested(let stream) = event { resumptions[stream, default: 0] += 1 }
        for index in sources.indices {
            switch event {
            case .pauseRequested(sources[index].stream) where followsPauses: sources[index].isPaused = true
            case .resumeRequested(sources[index].stream) where followsPauses:
                sources[index].isPaused = false
                // The very next picture of the source, whatever the layer's rate.
                let interval = Endpoint.captureInterval
                let count = (now.nanoseconds + interval.nanoseconds) / interval.nanoseconds
                sources[index].nextTime = MediaTime.zero + interval * Int(count)
            default: break
            }
        }
    }

    /// From one picture of what cameras stand before to the next.
    static let captureInterval = MediaDuration.milliseconds(33)

    /// Does what `body` says, and is woken for what follows.
    func change(at now: MediaTime, _ body: (RTPSession) -> Void) {
        body(session)
        wakeTime = now
    }

    /// Frames that were left out because the session had no room for them.
    private(set) var omittedFrames = 0

    private func sendFrame(of index: Int, at now: MediaTime) {
        var source = sources[index]
        if let allowance = session.allowance(at: now) {
            sources[index].nextTime = source.nextTime + source.interval
            guard allowance.obstacle == nil else { return omittedFrames += 1 }
            // Cameras have equal shares.
            let bits = Double(allowance.nextFrameBitrate.bitsPerSecond) / Double(sources.count)
            source.byteCount = max(50, Int(bits * source.interval.seconds / 8))
        }
        let frame = SyntheticFrame.make(
            source.number, isKey: source.isKeyFrameWanted, source.resolution, at: source.nextTime,
            byteCount: source.byteCount)
        session.send(frame.description, payload: frame.bytes.span, of: source.stream, at: now)
        let count = encodedFrames[source.stream] ?? (0, 0)
        encodedFrames[source.stream] = (count.all + 1, count.key + (source.isKeyFrameWanted ? 1 : 0))
        sources[index].number += 1
        sources[index].isKeyFrameWanted = false
        sources[index].nextTime = source.nextTime + source.interval
    }

    /// The events that say something of the call itself.
    var callEvents: [SessionEvent] { events.filter { !$0.isStatistics } }
}

extension SessionEvent {
    /// It comes with every report, or with what was lost.
    var isStatistics: Bool {
        switch self {
        case .feedback, .packetsRequested, .keyFrameRequested: true
        default: false
        }
    }
}

import Rill
import RillCore
import RillRTP
import RillReceive
import RillSend
import RillSession

/// The two halves of a call, as separate parts and in a session: the same frames are sent, the same packets received.
final class SessionBench {
    private var stream: RecordedStream
    private var next = 0
    private var frameNumber: Int64 = 0
    private let frame = [UInt8](repeating: 0x11, count: SessionBench.packetsPerFrame * 1100)
    private var sender: RTPStreamSender
    private let network = Counter()
    private let receiver: StreamReceiver
    private let output = ReceiveOutput()
    private let sending: RTPSession
    private let camera: SendingStreamID
    private let receiving: RTPSession
    private var payload: [UInt8] = []

    private static let packetsPerFrame = 5

    /// A packet sink that counts.
    private final class Counter: PacketSink {
        var bytes = 0
        func send(_ packet: Span<UInt8>, at time: MediaTime) { bytes &+= packet.count }
    }

    init(_ stream: RecordedStream) throws {
        self.stream = stream
        var random = SeededGenerator(seed: 1)
        let settings = RTPStreamSettings(payloadType: PayloadType(96), canonicalName: "rill", using: &random)
        sender = try RTPStreamSender(settings)
        let incoming = StreamReceiverSettings(
            jitterBuffer: JitterBufferSettings(payloadType: stream.payloadType), ssrc: SSRC(1))
        receiver = StreamReceiver(incoming)
        var session = RTPSessionSettings(seed: 1)
        session.announcesItself = false
        sending = RTPSession(session)
        camera = try sending.send(settings)
        receiving = RTPSession(session)
        _ = try receiving.receive(incoming, at: .zero)
    }

    /// Sends frames through a stream's sender.
    func sendParts(packets count: Int) -> Int {
        let frame = frame
        for _ in 0..<count / Self.packetsPerFrame {
            let (description, now) = nextFrame()
            sender.send(description, payload: frame.span, at: now, to: network)
        }
        return network.bytes
    }

    /// Sends frames on a session, and transmits the waiting packets.
    func send(packets count: Int) -> Int {
        let frame = frame
        for _ in 0..<count / Self.packetsPerFrame {
            let (description, now) = nextFrame()
            sending.send(description, payload: frame.span, of: camera, at: now)
            sending.transmit(to: network)
        }
        return network.bytes
    }

    /// Inserts packets into a stream's receiver, and takes its frames.
    func receiveParts(packets count: Int) -> Int {
        receive(count) {
            receiver.insert($0, at: $1)
        } poll: { now in
            while case .decode(let frame) = receiver.poll(at: now, into: &payload, output: output) {
                receiver.finish(frame, .decoded, decoded: now, at: now)
            }
            output.deliver(to: network)
        }
    }

    /// Inserts packets into a session, and takes its frames.
    func receive(packets count: Int) -> Int {
        receive(count) {
            receiving.insert($0, at: $1)
        } poll: { now in
            poll(at: now)
        }
    }

    private func poll(at now: MediaTime) {
        while true {
            switch receiving.poll(at: now, into: &payload) {
            case .decode(let stream):
                receiving.finish(receiving.releasedFrame, of: stream, .decoded, decoded: now, at: now)
            case .wait: return
            case .transmit, .event, .makeKeyFrame, .payload: break
            }
        }
    }

    private func receive(
        _ count: Int, insert: (Span<UInt8>, MediaTime) -> Void, poll: (MediaTime) -> Void
    ) -> Int {
        var position = stream.position(of: next)
        for _ in 0..<count {
            let now = stream.time(at: position)
            stream.withPacket(at: position) { insert($0, now) }
            poll(now)
            stream.advance(&position)
        }
        next += count
        return payload.count
    }

    private func nextFrame() -> (EncodedFrame, MediaTime) {
        let now = FrameRate(30).time(ofFrame: Int(frameNumber))
        defer { frameNumber += 1 }
        let isKey = frameNumber == 0
        return (
            EncodedFrame(
                codec: .vp8, layer: StreamLayer(rid: .high), number: frameNumber,
                references: isKey ? FrameReferences() : FrameReferences(frameNumber - 1), isKey: isKey,
                resolution: .hd720, captureTime: now, byteCount: frame.count), now
        )
    }
}

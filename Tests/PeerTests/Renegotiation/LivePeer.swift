import Foundation
import Rill
import RillCodec
import RillCore
import RillPeer
import RillScenes
import RillSession
import RillTestSupport
import RillTransport

/// A connection of ours on a socket of this machine, in real time: it sends a portrait on each stream, and decodes what
/// arrives.
final class LivePeer: Sendable {
    private let socket: UDPSocket
    private let start = ContinuousClock.now
    private let state: Monitor<State>

    private struct State: ~Copyable {
        let peer: PeerConnection
        let scene: PortraitScene
        var cameras: [SendingStreamID: Camera] = [:]
        var decoders: [ReceivingStreamID: Decoder] = [:]
        /// The frames that were decoded in each section.
        var decoded: [String: Int] = [:]
        var nextFrame = MediaTime.zero
        var bytes: [UInt8] = []
        var states: [PeerConnectionState] = []
        var failure: PeerError?
        var isOver = false
    }

    private struct Camera {
        let encoder: VPXEncoder
        var needsKeyFrame = true
    }

    private struct Decoder {
        let codec: VideoCodec
        let decoder: VPXDecoder
    }

    private static let resolution = Resolution(width: 320, height: 240)
    private static let interval = MediaDuration.milliseconds(66)

    init(_ role: ICERole, _ change: (inout PeerConnectionSettings) -> Void = { _ in }) throws {
        socket = try UDPSocket(boundTo: UDPAddress(.v4(0), port: 0))
        var settings = PeerConnectionSettings()
        change(&settings)
        let peer = PeerConnection(
            role, certificate: try DTLSCertificate(wallClock: Int(Date().timeIntervalSince1970)),
            settings: settings)
        for ip in MachineAddresses.known { try peer.addLocalCandidate(UDPAddress(ip, port: socket.localAddress.port)) }
        // Handed over, and no longer used here.
        nonisolated(unsafe) let connection = peer
        nonisolated(unsafe) let scene = try PortraitScene(resolution: LivePeer.resolution, frameRate: 15)
        state = Monitor(unsafe State(peer: connection, scene: scene))
        Thread.detachNewThread { [self] in run() }
    }

    /// Changes the connection, between two datagrams.
    func change<Value>(_ body: (PeerConnection, MediaTime) throws -> Value) throws -> Value {
        let now = now
        return try state.withLock { (state) throws in try body(state.peer, now) }
    }

    /// Ends it.
    func end() { state.withLock { $0.isOver = true } }

    /// What became of it so far, for a test that fails.
    var report: String {
        let now = now
        return state.withLock { state in
            let path = state.peer.agent.selectedPath.map { "\($0.remote)" } ?? "none"
            let transport = state.peer.statistics(at: now).transport
            return """
                \(state.states) \(state.failure.map(String.init(describing:)) ?? ""), path \(path), \
                DTLS \(String(describing: state.peer.dtls?.role)) \(transport), \
                refused \(String(describing: state.peer.protection?.received)), \
                \(state.peer.agent.statistics.map { "\($0.path.remote) \($0.state) \($0.isSelected)" })
                """
        }
    }

    var connectionState: PeerConnectionState { state.withLock { $0.peer.state } }

    /// How many frames were decoded in each section in which video may arrive now: not more than the statistics have.
    func framesDecoded() -> [String: Int] {
        let now = now
        return state.withLock { state in
            let received = state.peer.statistics(at: now).inbound
            var counts: [String: Int] = [:]
            for stream in state.peer.receivingStreams where stream.isActive {
                let mid = stream.description.mid ?? ""
                let known = received.filter { $0.mid == mid }.map(\.framesReceived).reduce(0, +)
                counts[mid] = min(state.decoded[mid] ?? 0, known)
            }
            return counts
        }
    }

    private var now: MediaTime { .zero + MediaDuration(start.duration(to: .now)) }

    // MARK: The thread

    private func run() {
        var bytes: [UInt8] = []
        while true {
            let now = now
            let wakeTime = state.withLock { state -> MediaTime? in
                guard !state.isOver else { return nil }
                film(&state, at: now)
                return min(work(&state, at: now), state.nextFrame)
            }
            guard let wakeTime else { return socket.close() }
            // A change of the connection may come at any time.
            let wait = max(.zero, min(wakeTime, now + .milliseconds(5)) - now)
            guard let datagram = try? socket.receive(into: &bytes, within: wait) else { continue }
            state.withLock { state in
                var span = bytes.mutableSpan
                state.peer.insert(&span, on: ICEPath(datagram.source), at: self.now)
            }
        }
    }

    private func work(_ state: inout State, at now: MediaTime) -> MediaTime {
        while true {
            switch state.peer.poll(at: now, into: &state.bytes) {
            case .transmit(on: let path): _ = try? socket.sendAtOnce(state.bytes.span, to: path.remote)
            case .decode(of: let id): decode(id, &state, at: now)
            case .makeKeyFrame(of: let id): state.cameras[id]?.needsKeyFrame = true
            case .event(.stateChanged(_, let next)): state.states.append(next)
            case .event(.failed(let error)): state.failure = error
            case .event, .payload: break
            case .wait(until: let time): return time
            }
        }
    }

    private func decode(_ id: ReceivingStreamID, _ state: inout State, at now: MediaTime) {
        guard let session = state.peer.session else { return }
        let frame = session.releasedFrame
        if state.decoders[id]?.codec != frame.frame.codec {
            let made = try? VPXDecoder(frame.frame.codec)
            state.decoders[id] = made.map { Decoder(codec: frame.frame.codec, decoder: $0) }
        }
        let mid = state.peer.receivingStreams.first { $0.id == id }?.description.mid ?? ""
        let outcome = try? state.decoders[id]?.decoder.decode(state.bytes.span, captureTime: frame.frame.captureTime)
        switch outcome {
        case .picture(let picture):
            state.decoded[mid, default: 0] += 1
            session.finish(frame, of: id, .decoded, picture: picture.resolution, decoded: now, at: now)
        case .hidden, .noBuffer: session.finish(frame, of: id, .decoded, decoded: now, at: now)
        case .awaitingKeyFrame: session.finish(frame, of: id, .skipped, decoded: now, at: now)
        case nil: session.finish(frame, of: id, .refused, decoded: now, at: now)
        }
    }

    /// Encodes the next picture for each stream that is sent.
    private func film(_ state: inout State, at now: MediaTime) {
        guard state.nextFrame <= now else { return }
        state.nextFrame = now + LivePeer.interval
        guard case .frame(let picture) = state.scene.next() else { return }
        for stream in state.peer.sendingStreams where stream.isActive {
            guard state.peer.session?.allowance(at: now)?.obstacle == nil else { continue }
            if state.cameras[stream.id] == nil { state.cameras[stream.id] = camera(stream.description.encoding.name) }
            guard let camera = state.cameras[stream.id] else { continue }
            var isSent = false
            _ = try? camera.encoder.encode(picture, isKeyFrame: camera.needsKeyFrame) { frame, payload in
                var frame = frame
                frame.captureTime = now
                isSent = state.peer.send(frame, payload: payload, of: stream.id, at: now) != nil
            }
            state.cameras[stream.id]?.needsKeyFrame = !isSent
        }
    }

    private func camera(_ codec: String) -> Camera? {
        let encoder = try? VPXEncoder(
            EncoderSettings(codec == "VP9" ? .vp9 : .vp8), layer: StreamLayer(rid: .high),
            resolution: LivePeer.resolution, frameRate: 15, bitrate: .kilobits(150))
        return encoder.map { Camera(encoder: $0) }
    }
}

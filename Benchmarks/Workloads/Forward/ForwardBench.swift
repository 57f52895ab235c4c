import Glibc
import RillCore
import RillForward
import RillPeer
import RillRTP
import RillSession

/// A forwarder with one publisher and forty viewers, in virtual time: DTLS, SRTP by AES-128-GCM, congestion control and
/// its feedback are all there.
///
/// What the publisher and the viewers cost is not that of the forwarder: only ``serve(_:at:)`` is counted.
final class ForwardBench {
    private let forwarder: StreamForwarder
    private let publisher: Client
    private var viewers: [Client] = []
    private var clients: [UDPAddress: Client] = [:]
    private var now = MediaTime.zero
    private var nextFrame = MediaTime.zero
    private var frameNumber: Int64 = 0
    private var isKeyFrameWanted = true
    private var bytes: [UInt8] = []
    /// Datagrams on their way, each with the address of its client.
    private var toServer: [(UDPAddress, [UInt8])] = []
    private var toClients: [(UDPAddress, [UInt8])] = []
    /// Memory of datagrams that have arrived.
    private var spare: [[UInt8]] = []
    /// When the forwarder has something to do.
    private var wakeTime = MediaTime.distantFuture
    /// Handshakes have random keys, and so a random cost; nothing is counted until the estimates have risen.
    private var isMeasured = false
    private let setCounting = ForwardBench.allocationSwitch()

    private static let server = UDPAddress(.v4(0xC000_0201), port: 5004)
    private static let viewerCount = 40
    /// Five packets of 1100 bytes with their headers and tags: 1.3 Mbit/s at 30 frames a second.
    private static let frameByteCount = 5 * 1056
    private static let step = MediaDuration.milliseconds(1)

    private final class Client {
        let peer: PeerConnection
        let address: UDPAddress

        init(_ number: UInt32, _ certificate: DTLSCertificate, _ transceiver: TransceiverSettings) throws {
            address = UDPAddress(.v4(0x0A00_0000 + number), port: 4000)
            var settings = PeerConnectionSettings(seed: UInt64(number))
            settings.negotiation.videoCodecs = [.vp8]
            settings.negotiation.audioCodecs = []
            peer = PeerConnection(
                .controlling, certificate: certificate, settings: settings,
                using: SeededGenerator(seed: UInt64(number) &* 91))
            try peer.addLocalCandidate(address)
            try peer.change { (negotiator) throws(NegotiationError) in _ = try negotiator.addTransceiver(transceiver) }
        }
    }

    init() throws {
        let certificate = try DTLSCertificate(wallClock: 1_800_000_000)
        var settings = ForwardSettings()
        settings.seed = 1
        forwarder = StreamForwarder(settings, certificate: certificate)
        forwarder.addLocalCandidate(ForwardBench.server)
        let theirs = try DTLSCertificate(wallClock: 1_800_000_000)
        var camera = TransceiverSettings(.video, .sendOnly)
        camera.sending = [SendingEncoding()]
        publisher = try Client(1, theirs, camera)
        let answer = try forwarder.publish("x", offer: try publisher.peer.offer(at: now).text, at: now).answer
        try publisher.peer.setRemote(.answer, answer.text, at: now)
        clients[publisher.address] = publisher
        for number in 0..<ForwardBench.viewerCount {
            let viewer = try Client(UInt32(2 + number), theirs, TransceiverSettings(.video, .receiveOnly))
            let answer = try forwarder.watch("x", offer: try viewer.peer.offer(at: now).text, at: now).answer
            try viewer.peer.setRemote(.answer, answer.text, at: now)
            viewers.append(viewer)
            clients[viewer.address] = viewer
        }
        setCounting(false)
        // The estimates have risen by then, and the buffers grown.
        _ = try forward(packets: 40 * 5 * 30 * 6)
        isMeasured = true
        guard viewers.allSatisfy({ $0.peer.state == .connected }) else { throw NoResult() }
    }

    /// Runs until that many datagrams were forwarded.
    func forward(packets count: Int) throws -> Int {
        var left = count
        while left > 0 {
            guard now < .zero + .seconds(600) else { throw NoResult() }
            film()
            now = now + ForwardBench.step
            // Between the steps of the clients only the forwarder has something to do.
            while wakeTime < now { work(at: wakeTime) }
            for client in [publisher] + viewers { advance(client) }
            work(at: now)
            for (address, datagram) in toClients {
                deliver(datagram, to: address, counting: &left)
                spare.append(datagram)
            }
            toClients.removeAll(keepingCapacity: true)
        }
        return frameNumber == 0 ? 1 : Int(frameNumber)
    }

    private func work(at now: MediaTime) {
        guard isMeasured else { return exchange(at: now) }
        setCounting(true)
        serve(at: now)
        setCounting(false)
    }

    /// What is measured.
    @inline(never)
    func serve(at now: MediaTime) { exchange(at: now) }

    /// Datagrams come in, and others are written.
    @inline(never)
    private func exchange(at now: MediaTime) {
        // Taken out, so that no access to a property is checked.
        var (bytes, spare, received, leaving) = (self.bytes, self.spare, toServer, toClients)
        (self.bytes, self.spare, toServer, toClients) = ([], [], [], [])
        for index in received.indices {
            let path = ICEPath(received[index].0)
            var span = received[index].1.mutableSpan
            forwarder.insert(&span, on: path, at: now)
        }
        received.removeAll(keepingCapacity: true)
        polling: while true {
            switch forwarder.poll(at: now, into: &bytes) {
            case .transmit(on: let path):
                leaving.append((path.remote, bytes))
                bytes = spare.popLast() ?? []
            case .event: continue
            case .wait(until: let time):
                wakeTime = time
                break polling
            }
        }
        (self.bytes, self.spare, toServer, toClients) = (bytes, spare, received, leaving)
    }

    private func deliver(_ datagram: [UInt8], to address: UDPAddress, counting left: inout Int) {
        guard let client = clients[address] else { return }
        if client !== publisher, datagram.count > 500 { left -= 1 }
        var copy = datagram
        var span = copy.mutableSpan
        client.peer.insert(&span, on: ICEPath(ForwardBench.server), at: now)
    }

    private func advance(_ client: Client) {
        var bytes: [UInt8] = []
        while true {
            switch client.peer.poll(at: now, into: &bytes) {
            case .transmit: toServer.append((client.address, bytes))
            case .decode(of: let stream):
                guard let session = client.peer.session else { continue }
                let frame = session.releasedFrame
                session.finish(frame, of: stream, .decoded, picture: frame.frame.resolution, decoded: now, at: now)
            case .makeKeyFrame: isKeyFrameWanted = true
            case .event, .payload: continue
            case .wait: return
            }
        }
    }

    /// Sends the publisher's next frame if it is time for that.
    private func film() {
        guard nextFrame <= now, publisher.peer.state == .connected, let stream = publisher.peer.sendingStreams.first
        else { return }
        nextFrame = now + .milliseconds(33)
        var payload = [UInt8](repeating: 0x11, count: ForwardBench.frameByteCount)
        (payload[0], payload[1], payload[2]) = (isKeyFrameWanted ? 0x10 : 0x11, 2, 0)
        // The start code and 1280x720 (RFC 6386 §9.1).
        if isKeyFrameWanted { payload[3...9] = [0x9D, 0x01, 0x2A, 0x00, 0x05, 0xD0, 0x02] }
        let frame = EncodedFrame(
            codec: .vp8, layer: StreamLayer(rid: .high), number: frameNumber,
            references: isKeyFrameWanted ? FrameReferences() : FrameReferences(frameNumber - 1),
            isKey: isKeyFrameWanted, resolution: .hd720, captureTime: now, byteCount: payload.count)
        guard publisher.peer.send(frame, payload: payload.span, of: stream.id, at: now) != nil else { return }
        frameNumber += 1
        isKeyFrameWanted = false
    }

    /// Switches the counter of allocations, if the process has one (`Programs/allocation-counter.c`).
    private static func allocationSwitch() -> (Bool) -> Void {
        typealias Function = @convention(c) (Int32) -> Void
        guard let found = dlsym(nil, "set_counting_allocations") else { return { _ in } }
        let function = unsafeBitCast(found, to: Function.self)
        return { function($0 ? 1 : 0) }
    }
}

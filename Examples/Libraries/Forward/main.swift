// library-forward: RillForward alone. A publisher's frames are forwarded to a viewer, in virtual time: every datagram
// takes 10 ms. The frames have no pictures in them: nothing on their way decodes them.

import RillForward

/// A publisher or a viewer.
final class Client {
    let peer: PeerConnection
    let address: UDPAddress
    private(set) var sent = 0
    private(set) var shown = 0
    private var isKeyWanted = true
    private var bytes: [UInt8] = []

    init(_ direction: MediaDirection, at address: UDPAddress, certificate: DTLSCertificate) throws {
        peer = PeerConnection(.controlling, certificate: certificate)
        self.address = address
        try peer.addLocalCandidate(address)
        try peer.change { negotiator in _ = try negotiator.addTransceiver(TransceiverSettings(.video, direction)) }
    }

    /// Sends a frame, which is a key frame if one was asked for.
    func film(at now: MediaTime) {
        guard let stream = peer.sendingStreams.first?.id else { return }
        // The head of VP8 is all that a forwarder reads: a first partition of 100 bytes, and the size.
        let head: [UInt8] = isKeyWanted ? [0x90, 0x0C, 0, 0x9D, 0x01, 0x2A, 160, 0, 120, 0] : [0x11, 0, 0]
        let payload = head + [UInt8](repeating: UInt8(sent), count: 2000)
        let references = isKeyWanted ? FrameReferences() : FrameReferences(Int64(sent) - 1)
        let frame = EncodedFrame(
            codec: .vp8, layer: StreamLayer(rid: .high), number: Int64(sent), references: references,
            isKey: isKeyWanted,
            resolution: Resolution(width: 160, height: 120), captureTime: now, byteCount: payload.count)
        guard peer.send(frame, payload: payload.span, of: stream, at: now) != nil else { return }
        (sent, isKeyWanted) = (sent + 1, false)
    }

    /// Does what is due, and returns the datagrams that leave.
    func work(at now: MediaTime) -> [(to: UDPAddress, bytes: [UInt8])] {
        var datagrams: [(to: UDPAddress, bytes: [UInt8])] = []
        while true {
            switch peer.poll(at: now, into: &bytes) {
            case .transmit(on: let path): datagrams.append((path.remote, bytes))
            case .decode(of: let stream):
                guard let session = peer.session else { break }
                shown += 1
                let frame = session.releasedFrame
                session.finish(frame, of: stream, .decoded, picture: frame.frame.resolution, decoded: now, at: now)
            case .makeKeyFrame: isKeyWanted = true
            case .event, .payload: break
            case .wait: return datagrams
            }
        }
    }
}

let port = UDPAddress(.v4(0xC000_0201), port: 5004)
let forwarder = StreamForwarder(certificate: try DTLSCertificate(wallClock: 1_800_000_000))
forwarder.addLocalCandidate(port)
let certificate = try DTLSCertificate(wallClock: 1_800_000_000)
let alice = try Client(.sendOnly, at: UDPAddress(.v4(0xC000_0202), port: 4000), certificate: certificate)
let bob = try Client(.receiveOnly, at: UDPAddress(.v4(0xC000_0203), port: 4000), certificate: certificate)

var now = MediaTime.zero
var bytes: [UInt8] = []

/// Polls all three, and brings their datagrams to the others 10 ms later.
@MainActor func step() {
    var fromForwarder: [(to: UDPAddress, bytes: [UInt8])] = []
    work: while true {
        switch forwarder.poll(at: now, into: &bytes) {
        case .transmit(on: let path): fromForwarder.append((path.remote, bytes))
        case .event(.connected(let session)): print("\(session.isPublisher ? "publisher" : "viewer") connected")
        case .event(let event): print(event)
        case .wait: break work
        }
    }
    let fromClients = [alice, bob].map { ($0.address, $0.work(at: now)) }
    now += .milliseconds(10)
    for (source, datagrams) in fromClients {
        for var datagram in datagrams {
            var span = datagram.bytes.mutableSpan
            forwarder.insert(&span, on: ICEPath(source), at: now)
        }
    }
    for var datagram in fromForwarder {
        let client = datagram.to == alice.address ? alice : bob
        var span = datagram.bytes.mutableSpan
        _ = client.peer.insert(&span, on: ICEPath(port), at: now)
    }
}

/// Steps until a client is connected.
@MainActor func connect(_ client: Client, answer: SessionDescription) throws {
    try client.peer.setRemote(.answer, answer.text, at: now)
    while client.peer.state != .connected, now.seconds < 10 { step() }
}

let publisher = try forwarder.publish("stage", offer: alice.peer.offer(at: now).text, at: now)
try connect(alice, answer: publisher.answer)
let viewer = try forwarder.watch("stage", offer: bob.peer.offer(at: now).text, at: now)
try connect(bob, answer: viewer.answer)
while alice.sent < 30 {
    alice.film(at: now)
    for _ in 0..<3 { step() }
}
for _ in 0..<100 { step() }
let counts = forwarder.counts
print(
    "\(alice.sent) frames sent, \(counts.frames) forwarded, \(counts.keyFrames) of them key frames, \(bob.shown) shown")

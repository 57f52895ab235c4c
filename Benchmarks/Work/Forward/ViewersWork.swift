import Arguments
import Foundation
import RillCore
import RillPeer
import RillRTP
import RillSession
import RillThreads
import RillTransport
import Synchronization

/// Many viewers, each with a socket and a thread of its own, who take frames and decode none.
///
///     new N              → offer N OFFER
///     answer N ANSWER    the viewer connects
///     offer N OFFER      → answer N ANSWER, for a server that offers
///     count 0            → what all have received so far
struct ViewersWork {
    private let ip: IPAddress

    init(_ arguments: Arguments) throws {
        let text = arguments.optional("at") ?? "127.0.0.1"
        guard let ip = IPAddress(text) else { throw WrongUse("\(text) is not an IP address") }
        self.ip = ip
    }

    func run() throws {
        let certificate = try DTLSCertificate(wallClock: Int(Date.now.timeIntervalSince1970))
        let clock = LiveClock()
        let counts = ViewerCounts()
        var waiting: [Int: ViewerBot] = [:]
        while let line = try SignalingLines.read() {
            switch line.verb {
            case "new":
                let bot = try ViewerBot(.controlling, at: ip, certificate, clock, counts)
                SignalingLines.write("offer", line.number, try bot.offer())
                waiting[line.number] = bot
            case "answer": try waiting.removeValue(forKey: line.number)?.begin(line.description)
            case "offer":
                let bot = try ViewerBot(.controlled, at: ip, certificate, clock, counts)
                SignalingLines.write("answer", line.number, try bot.answer(line.description))
            case "count": SignalingLines.write(counts.text)
            default: throw WrongUse("no verb \(line.verb)")
            }
        }
        counts.isOver.store(true, ordering: .relaxed)
    }
}

/// The packets of all viewers.
private final class ViewerCounts: Sendable {
    let connected = Atomic(0)
    let packets = Atomic(0)
    let frames = Atomic(0)
    let requests = Atomic(0)
    /// The time from a viewer's beginning to its first frame, summed up, in microseconds.
    let first = Atomic(0)
    let seen = Atomic(0)
    let isOver = Atomic(false)

    var text: String {
        func value(_ count: borrowing Atomic<Int>) -> Int { count.load(ordering: .relaxed) }
        return "connected=\(value(connected)) packets=\(value(packets)) received=\(value(frames)) "
            + "requests=\(value(requests)) seen=\(value(seen)) first=\(value(first))"
    }
}

/// One viewer.
private final class ViewerBot {
    private let peer: PeerConnection
    private let socket: UDPSocket
    private let clock: LiveClock
    private let counts: ViewerCounts

    init(
        _ role: ICERole, at ip: IPAddress, _ certificate: DTLSCertificate, _ clock: LiveClock, _ counts: ViewerCounts
    ) throws {
        (self.clock, self.counts) = (clock, counts)
        socket = try UDPSocket(boundTo: UDPAddress(ip, port: 0))
        var settings = PeerConnectionSettings()
        settings.negotiation.videoCodecs = [.vp8]
        settings.negotiation.audioCodecs = []
        peer = PeerConnection(role, certificate: certificate, settings: settings)
        try peer.addLocalCandidate(socket.localAddress)
    }

    func offer() throws -> String {
        try peer.change { (negotiator) throws(NegotiationError) in
            _ = try negotiator.addTransceiver(TransceiverSettings(.video, .receiveOnly))
        }
        return try peer.offer(at: clock.now).text
    }

    func begin(_ answer: String) throws {
        try peer.setRemote(.answer, answer, at: clock.now)
        start()
    }

    func answer(_ offer: String) throws -> String {
        let answer = try peer.answer(offer, at: clock.now).text
        start()
        return answer
    }

    private func start() {
        // Handed over to its thread, and used nowhere else from now on.
        nonisolated(unsafe) let bot = self
        let thread = Thread { bot.run() }
        thread.stackSize = 1 << 19
        thread.start()
    }

    private func run() {
        let start = clock.now
        var (bytes, datagram): ([UInt8], [UInt8]) = ([], [])
        var hasSeen = false
        while !counts.isOver.load(ordering: .relaxed) {
            let now = clock.now
            var wakeTime = now + .milliseconds(200)
            polling: while true {
                switch peer.poll(at: now, into: &bytes) {
                // Refused by a full buffer or a closed port, it is as if it were lost.
                case .transmit(on: let path): try? socket.send(bytes.span, to: path.remote)
                case .decode(of: let stream):
                    guard let session = peer.session else { continue }
                    let frame = session.releasedFrame
                    session.finish(
                        frame, of: stream, .decoded, picture: frame.frame.resolution, decoded: now, at: now)
                    counts.frames.add(1, ordering: .relaxed)
                    guard !hasSeen else { continue }
                    hasSeen = true
                    counts.seen.add(1, ordering: .relaxed)
                    counts.first.add(Int((now - start).nanoseconds / 1000), ordering: .relaxed)
                case .event(.stateChanged(_, to: .connected)): counts.connected.add(1, ordering: .relaxed)
                case .event(.session(.keyFrameRequested)): counts.requests.add(1, ordering: .relaxed)
                case .event, .makeKeyFrame, .payload: continue
                case .wait(until: let time):
                    wakeTime = min(wakeTime, time)
                    break polling
                }
            }
            // An error is that of a datagram which was refused before.
            guard let received = try? socket.receive(into: &datagram, within: max(.zero, wakeTime - clock.now)) else {
                continue
            }
            counts.packets.add(1, ordering: .relaxed)
            var span = datagram.mutableSpan
            _ = peer.insert(&span, on: ICEPath(received.source), at: clock.now)
        }
    }
}

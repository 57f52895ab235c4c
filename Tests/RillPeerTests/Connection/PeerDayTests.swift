import RillCore
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

/// A server that a hundred peers visit, for a day in virtual time.
@Suite(.serialized) struct PeerDayTests {
    @Test func `A hundred peers come and go, and nothing grows`() throws {
        let day = try PeerDay(peerCount: isLongRun ? 100 : 8, seed: 11)
        let duration = MediaDuration.seconds(isLongRun ? 24 * 3600 : isSanitized ? 300 : 1200)
        var base = 0
        for part in 1...8 {
            day.run(until: .zero + duration / 8 * part)
            // The first quarter is that of growing buffers.
            if part == 2 { base = try residentByteCount() }
            note("\(part)/8 of the time: \(day.visitCount) visits, \(day.port.count) there")
        }
        let growth = try residentByteCount() - base
        note("\(day.visitCount) visits, \(day.frameCount) frames, \(day.port.count) there: \(growth) bytes of growth")
        #expect(day.failures.isEmpty, "\(day.failures.prefix(5))")
        #expect(day.visitCount > (isLongRun ? 10_000 : 6) && day.frameCount > day.visitCount)
        #expect(day.port.count <= day.peerCount + 4 && day.port.pathCount <= 2 * day.port.count)
        // Among other tests, memory says nothing: the counts above do.
        #expect(!isLongRun || growth < 32_000_000, "\(growth) bytes")
    }
}

/// Peers that connect to a server, send it a picture now and then, and leave: in good order, or without a word.
///
/// Every datagram takes 20 ms. Time goes on in steps of that.
private final class PeerDay {
    let peerCount: Int
    let port: PeerPort
    private(set) var visitCount = 0
    private(set) var frameCount = 0
    private(set) var failures: [String] = []
    private var random: SeededGenerator
    private var now = MediaTime.zero
    private var visits: [Visit?]
    /// The places of those who are there.
    private var places: [UDPAddress: Int] = [:]
    private var underWay: [(time: MediaTime, path: UDPAddress, isToServer: Bool, bytes: [UInt8])] = []
    private var bytes: [UInt8] = []
    private var serverWakeTime = MediaTime.zero
    private let server = AgentPair.address("192.0.2.1:5004")

    private struct Visit {
        let id: ICEPeerID
        let end: PeerEnd
        let address: UDPAddress
        let endTime: MediaTime
        /// Whether it says that it leaves.
        let isPolite: Bool
        var wakeTime: MediaTime
        var isConnected = false
    }

    private static let step = MediaDuration.milliseconds(20)

    init(peerCount: Int, seed: UInt64) throws {
        self.peerCount = peerCount
        port = PeerPort(peerLimit: 2 * peerCount)
        random = SeededGenerator(seed: seed)
        visits = Array(repeating: nil, count: peerCount)
    }

    func run(until end: MediaTime) {
        while now < end {
            now = now + PeerDay.step
            for place in visits.indices { serve(place) }
            deliver()
            if serverWakeTime <= now { serverWakeTime = serveServer() }
        }
    }

    private func serve(_ place: Int) {
        guard var visit = visits[place] else {
            // Somebody comes on average every 20 s.
            if Int.random(in: 0..<1000, using: &random) == 0 {
                let visit = arrive()
                visits[place] = visit
                places[visit.address] = place
            }
            return
        }
        if visit.endTime <= now {
            if visit.isPolite, visit.end.peer.state == .connected { visit.end.peer.close(at: now) }
            if !visit.isConnected { failures.append("\(visit.id) was never connected: \(visit.end.peer.agent.state)") }
            _ = visit.end.advance(to: now) { send($1, visit.address, isToServer: true) }
            places[visit.address] = nil
            visits[place] = nil
            return
        }
        guard visit.wakeTime <= now else { return }
        visit.wakeTime = visit.end.advance(to: now) { send($1, visit.address, isToServer: true) }
        if !visit.isConnected, visit.end.peer.state == .connected {
            visit.isConnected = true
            visit.end.film(from: now, every: .seconds(5))
            visit.wakeTime = now
        }
        if let failure = visit.end.failure { failures.append("\(failure)") }
        visits[place] = visit
    }

    /// A peer that stays for two to ten minutes.
    private func arrive() -> Visit {
        visitCount += 1
        let address = UDPAddress(.v4(0x0A00_0000 + UInt32(visitCount)), port: 4000)
        do throws(any Error) {
            let client = PeerConnection(
                .controlling, certificate: PeerPair.certificates.offerer,
                settings: PeerConnectionSettings(seed: random.next()), using: SeededGenerator(seed: random.next()))
            try client.addLocalCandidate(address)
            try client.change { (negotiator) throws(NegotiationError) in
                _ = try negotiator.addTransceiver(PeerConnectionTests.simulcast)
            }
            let made = PeerConnection(
                .controlled, certificate: PeerPair.certificates.answerer,
                settings: PeerConnectionSettings(seed: random.next()), using: SeededGenerator(seed: random.next()))
            try made.addLocalCandidate(server)
            let id = try port.add(made)
            let offer = try client.offer(at: now).text
            let answer = try existing(
                port.change(id) { peer throws(PeerError) in try peer.answer(offer, at: now).text })
            try client.setRemote(.answer, answer, at: now)
            let end = PeerEnd(client)
            end.isLogging = false
            return Visit(
                id: id, end: end, address: address,
                endTime: now + .seconds(Int.random(in: 120...600, using: &random)),
                isPolite: Bool.random(using: &random),
                wakeTime: now)
        } catch { preconditionFailure("\(error)") }
    }

    private func send(_ bytes: [UInt8], _ address: UDPAddress, isToServer: Bool) {
        underWay.append((now + PeerDay.step, address, isToServer, bytes))
    }

    private func deliver() {
        let arrived = underWay.prefix { $0.time <= now }
        underWay.removeFirst(arrived.count)
        for datagram in arrived {
            if datagram.isToServer {
                var copy = datagram.bytes
                var span = copy.mutableSpan
                port.insert(&span, on: ICEPath(datagram.path), at: now)
                serverWakeTime = now
            } else if let place = places[datagram.path] {
                visits[place]?.end.take(datagram.bytes.span, on: ICEPath(server), at: now)
                visits[place]?.wakeTime = now
            }
        }
    }

    private func serveServer() -> MediaTime {
        while true {
            switch port.poll(at: now, into: &bytes) {
            case .transmit(on: let path): send(bytes, path.remote, isToServer: false)
            case .decode(let id, let stream):
                guard let session = port[id]?.session else { preconditionFailure("a frame without a session") }
                let frame = session.releasedFrame
                frameCount += 1
                session.finish(frame, of: stream, .decoded, picture: frame.frame.resolution, decoded: now, at: now)
                port.change(id) { _ in }
            case .event(let id, .stateChanged(_, to: .failed)): port.remove(id)
            case .event, .payload, .makeKeyFrame: break
            case .wait(until: let time): return time
            }
        }
    }
}

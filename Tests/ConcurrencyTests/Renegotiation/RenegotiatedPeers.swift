import Rill
import RillCore
import RillLink
import RillPeerSupport
import RillSession
import RillTestSupport
import RillThreads
import RillTransport

@testable import RillPeer

/// A peer that answers offers again and again, and the other side that makes them. The drivers of a server and of an
/// app behave alike here.
protocol RenegotiatedPeer: AnyObject {
    /// The other side: it offers, sends frames and counts those that arrive.
    var other: PeerEnd { get }
    var now: MediaTime { get }
    /// The peer's session, as far as there is one.
    var statistics: SessionStatistics? { get }
    /// The packets of sound that it passed on, or counted.
    var soundPackets: Int { get }
    /// Answers an offer, and receives and sends all that the answer allows.
    func answer(_ offer: String) throws -> String
    /// Runs both until that is true, at most that long; returns whether it is.
    func run(_ most: MediaDuration, until isDone: () -> Bool) async throws -> Bool
    func end() async
}

/// The two kinds of a peer.
enum RenegotiatedKind: CaseIterable {
    /// A connection, as a forwarder has one for each of its peers; in virtual time.
    case connection
    /// A participant of a call; in real time, over a socket.
    case participant

    func make() throws -> any RenegotiatedPeer {
        switch self {
        case .connection: try RenegotiatedConnection()
        case .participant: try RenegotiatedParticipant()
        }
    }
}

extension PeerConnection {
    /// A connection without streams, at an address.
    fileprivate static func make(_ role: ICERole, seed: UInt64, at address: UDPAddress) throws -> PeerConnection {
        let peer = PeerConnection(
            role, certificate: try DTLSCertificate(wallClock: 1_800_000_000),
            settings: PeerConnectionSettings(seed: seed), using: SeededGenerator(seed: seed &* 77))
        try peer.addLocalCandidate(address)
        return peer
    }
}

/// A server's connection.
private final class RenegotiatedConnection: RenegotiatedPeer {
    let other: PeerEnd
    private let end: PeerEnd
    private let network = VirtualNetwork(.clean.seeded(1))

    init() throws {
        let addresses = (UDPAddress(.v4(0x0A00_0002), port: 4000), UDPAddress(.v4(0xC000_0201), port: 5004))
        other = PeerEnd(try .make(.controlling, seed: 2, at: addresses.0))
        end = PeerEnd(try .make(.controlled, seed: 3, at: addresses.1))
        network.add(other, at: [addresses.0])
        network.add(end, at: [addresses.1])
        var sent = TransceiverSettings(.video, .sendAndReceive)
        sent.sending = [SendingEncoding(rid: "high"), SendingEncoding(rid: "low")]
        try end.peer.change { _ = try $0.addTransceiver(sent) }
    }

    var now: MediaTime { network.now }
    var statistics: SessionStatistics? { end.peer.session?.statistics }
    var soundPackets: Int { end.payloads.count }

    func answer(_ offer: String) throws -> String {
        let answer = try end.peer.answer(offer, at: now).text
        end.film(from: now)
        return answer
    }

    func run(_ most: MediaDuration, until isDone: () -> Bool) async throws -> Bool {
        network.run(until: now + most, isDone: isDone)
        return isDone()
    }

    func end() async {}
}

/// A participant of a call.
private final class RenegotiatedParticipant: RenegotiatedPeer {
    let other: PeerEnd
    private let end: WebRTCCallEnd
    private let clock = LiveClock()
    private let socket: UDPSocket
    private var peer: WebRTCPeer?
    private var bytes: [UInt8] = []

    init() throws {
        end = try WebRTCCallEnd()
        socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        other = PeerEnd(try .make(.controlling, seed: 2, at: socket.localAddress))
    }

    var now: MediaTime { clock.now }
    var statistics: SessionStatistics? { peer?.participant?.statistics.session }
    var soundPackets: Int { peer?.participant?.statistics.soundPacketsReceived ?? 0 }

    func answer(_ offer: String) throws -> String {
        let answer: String
        if let peer {
            answer = try peer.answer(offer)
        } else {
            let made = try end.port.answer(offer, from: "other")
            (answer, peer) = (made.localDescription, made)
        }
        let participant = try existing(peer?.participant)
        for layer in participant.layers {
            // Layers that are shown already go on.
            do { try participant.show(layer, on: FrameTap { _ in }) } catch CallError.layerIsShown {}
        }
        return answer
    }

    func run(_ most: MediaDuration, until isDone: () -> Bool) async throws -> Bool {
        let deadline = now + most
        while !isDone(), now < deadline {
            _ = other.advance(to: now) { path, datagram in
                // A datagram that the system does not take is lost, and repeated as such.
                _ = try? socket.sendAtOnce(datagram.span, to: path.remote)
            }
            while let datagram = try socket.receive(into: &bytes, within: .zero) {
                other.take(bytes.span, on: ICEPath(datagram.source), at: now)
            }
            // Not in `receive`: that would hold a thread that other tests need.
            try await Task.sleep(for: .milliseconds(2))
        }
        return isDone()
    }

    func end() async {
        await end.call.end()
        socket.close()
    }
}

extension Negotiator {
    /// Has the next offer name all formats and header extensions by other numbers.
    mutating func renumber() throws {
        let former = try existing(currentLocalDescription)
        var (description, numbers) = (former, Numbering())
        for section in description.media.indices {
            for format in description.media[section].formats.indices {
                let number = description.media[section].formats[format].payloadType.rawValue
                description.media[section].formats[format].payloadType = PayloadType(number + 12)
            }
            for mapping in description.media[section].headerExtensions.indices {
                description.media[section].headerExtensions[mapping].id += 7
            }
        }
        // None of the former numbers gets another meaning.
        for section in former.media { numbers.reserve(section) }
        for section in description.media { numbers.note(section) }
        (currentLocalDescription, numbering) = (description, numbers)
    }
}

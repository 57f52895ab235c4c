import RillCore
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

@testable import RillPeer

/// What another offer and answer change in streams that are known: the same for a server's connection and for the
/// participant of an app's call.
@Suite(.serialized) struct RenegotiationTests {
    /// A section with a stream in each direction, or a simulcast.
    private static func section(isSimulcast: Bool) -> TransceiverSettings {
        var settings = TransceiverSettings(.video, .sendAndReceive)
        guard isSimulcast else { return settings }
        settings.sending = [SendingEncoding(rid: "h"), SendingEncoding(rid: "l")]
        settings.receivedRIDs = ["high", "low"]
        return settings
    }

    /// The two sides, once frames go both ways.
    private func connected(_ kind: RenegotiatedKind, isSimulcast: Bool) async throws -> any RenegotiatedPeer {
        let peer = try kind.make()
        try peer.other.peer.change { _ = try $0.addTransceiver(Self.section(isSimulcast: isSimulcast)) }
        try peer.negotiate()
        try await peer.expectFrames(sent: true, received: true)
        return peer
    }

    @Test(arguments: RenegotiatedKind.allCases, [true, false])
    func `Payload types and header extensions change, and streams go on with their SSRCs`(
        kind: RenegotiatedKind, isSimulcast: Bool
    ) async throws {
        let peer = try await connected(kind, isSimulcast: isSimulcast)
        let before = try existing(peer.statistics).sending.map(\.ssrc)
        try peer.other.peer.change { try $0.renumber() }
        let answer = try peer.negotiate()
        let types = peer.other.peer.receivingStreams.map(\.description.payloadType.rawValue)
        #expect(types.allSatisfy { $0 >= 108 }, "\(types)")
        try await peer.expectFrames(sent: true, received: true)
        // What was announced, and no second stream with numbers from the beginning.
        #expect(try existing(peer.statistics).sending.map(\.ssrc) == before)
        #expect(isSimulcast || answer.contains("a=ssrc:\(before[0].rawValue) "), "\(before[0]) \(answer)")
        #expect(!peer.other.results.contains(.dropped(.refused(.replayed))))
        await peer.end()
    }

    @Test(arguments: RenegotiatedKind.allCases, [true, false])
    func `A section's direction changes, and comes back`(kind: RenegotiatedKind, isSimulcast: Bool) async throws {
        let peer = try await connected(kind, isSimulcast: isSimulcast)
        let before = try existing(peer.statistics).sending.map(\.ssrc)
        let id = peer.other.peer.negotiator.transceivers[0].id
        for direction in [MediaDirection.receiveOnly, .inactive, .sendOnly, .sendAndReceive] {
            try peer.other.peer.change { try $0.setDirection(direction, of: id) }
            try peer.negotiate()
            try await peer.expectFrames(sent: direction.receives, received: direction.sends)
        }
        #expect(try existing(peer.statistics).sending.map(\.ssrc) == before)
        #expect(!peer.other.results.contains(.dropped(.refused(.replayed))))
        await peer.end()
    }

    @Test(arguments: RenegotiatedKind.allCases)
    func `Sound is no packet of an unknown source`(kind: RenegotiatedKind) async throws {
        let peer = try await connected(kind, isSimulcast: true)
        try peer.other.peer.change { _ = try $0.addTransceiver(TransceiverSettings(.audio, .sendOnly)) }
        try peer.negotiate()
        let section = try existing(peer.other.peer.negotiator.sections.first { $0.kind == .audio })
        let type = try existing(section.remoteFormats.first).payloadType.rawValue
        for number in UInt8(1)...5 {
            let header: [UInt8] = [0x80, type, 0, number, 0, 0, 0, number, 0, 0, 0, 9]
            let packet = header + Array(repeating: 7, count: 60)
            let isTaken = peer.other.peer.send(packet: packet.span)
            #expect(isTaken)
        }
        let isDone = try await peer.run(.seconds(60)) { peer.soundPackets == 5 }
        #expect(isDone, "\(peer.soundPackets) packets")
        #expect(try existing(peer.statistics).transport.packetsOfUnknownSources == 0)
        await peer.end()
    }

    @Test(arguments: RenegotiatedKind.allCases)
    func `A section that was stopped is used again, by another stream`(kind: RenegotiatedKind) async throws {
        let peer = try await connected(kind, isSimulcast: true)
        for round in 0..<3 {
            // Numbers of a section that is used again may differ, too.
            if round == 2 { try peer.other.peer.change { try $0.renumber() } }
            let id = try peer.other.peer.change { try $0.addTransceiver(TransceiverSettings(.video, .sendOnly)) }
            try peer.negotiate()
            #expect(peer.other.peer.sendingStreams.count == 3)
            try await peer.expectFrames(sent: true, received: true)
            try peer.other.peer.change { try $0.stop(id) }
            try peer.negotiate()
            try await peer.expectFrames(sent: true, received: true)
            #expect(try existing(peer.statistics).receiving.count == 2)
        }
        await peer.end()
    }
}

extension RenegotiatedPeer {
    /// Offers again, and takes the answer, which is returned.
    @discardableResult
    func negotiate() throws -> String {
        let answer = try answer(try other.peer.offer(at: now).text)
        try other.peer.setRemote(.answer, answer, at: now)
        other.film(from: now)
        return answer
    }

    /// The frames that arrived at the other side, of each stream that it may receive now.
    private var sent: [Int] {
        other.peer.receivingStreams.filter(\.isActive).map { other.decoded[$0.id]?.count ?? 0 }
    }

    /// The frames that arrived at the peer, of each stream that the other side sends now.
    private var received: [Int] {
        let known = statistics?.receiving ?? []
        return other.peer.sendingStreams.filter(\.isActive).map { stream in
            let source = other.peer.session?.settings(of: stream.id)?.ssrc
            return known.first { $0.ssrc == source }?.stream.framesReceived ?? 0
        }
    }

    /// Waits for frames of all streams of a direction; there must be streams if there are to be frames.
    fileprivate func expectFrames(
        sent isSending: Bool, received isReceiving: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (sent, received) = (sent, received)
        #expect(sent.isEmpty == !isSending && received.isEmpty == !isReceiving, sourceLocation: sourceLocation)
        let isDone = try await run(.seconds(60)) {
            zip(self.sent, sent).allSatisfy { $0 >= $1 + 3 } && zip(self.received, received).allSatisfy { $0 >= $1 + 3 }
        }
        #expect(
            isDone, "at the other side \(sent) → \(self.sent), here \(received) → \(self.received)",
            sourceLocation: sourceLocation)
    }
}

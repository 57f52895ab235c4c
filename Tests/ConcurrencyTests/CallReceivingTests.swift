import RillCore
import RillMediaSupport
import RillRTP
import RillTestSupport
import Testing

@testable import Rill

/// A call that receives many streams on few decoding threads. Run under the thread sanitizer by the test script, so
/// sizes are small and nothing depends on how fast the machine is.
@Suite struct CallReceivingTests {
    private static let resolution = Resolution(width: 96, height: 64)

    /// A participant that sends frames of its own, and the screen where they are shown.
    private struct Peer {
        let sender: PacketSender
        let screen = PictureRecording()
        private let network = MemoryTransport()

        init(seed: UInt64) throws {
            sender = try PacketSender(
                SendSettings(layers: [.high(resolution, bitrate: .kilobits(100))], seed: seed))
        }

        func join(_ call: VideoCall, sink: (any FrameSink & Sendable)? = nil) throws -> CallParticipant {
            let them = try network.join(call, sender.streams) { _ in }
            try show(them, on: sink ?? screen)
            return them
        }

        func show(_ them: CallParticipant, on sink: any FrameSink & Sendable) throws {
            try them.show(.high, on: sink) { settings in
                // Longer than a busy machine keeps a thread waiting: tests count on every picture being shown.
                settings.jitterBuffer.playoutDelay = .fixed(.milliseconds(400))
            }
        }

        func send(_ frame: VideoFrame, at now: MediaTime) throws {
            var packets: [[UInt8]] = []
            try sender.send(frame, at: now, to: PacketTap { packet, _ in packets.append(packet.array) })
            network.deliver(packets)
        }
    }

    /// All of them send frames at the same time, and what was sent is shown when this returns.
    private func send(
        _ peers: [Peer], to call: VideoCall, frameCount: Int, isShown: (() -> Bool)? = nil
    ) throws {
        let source = try LoopedPictures(Self.resolution, frameCount: frameCount)
        let start = call.clock.now
        while case .frame(var frame) = source.next() {
            frame.captureTime = start + (frame.captureTime - MediaTime.zero)
            call.clock.sleep(until: frame.captureTime)
            for peer in peers { try peer.send(frame, at: call.clock.now) }
        }
        let deadline = call.clock.now + .seconds(20)
        func isDone() -> Bool { isShown?() ?? peers.allSatisfy { $0.screen.checksums.count % frameCount == 0 } }
        while !isDone(), call.clock.now < deadline { LiveClock.pause() }
    }

    @Test(arguments: [(6, 2), (24, 1)])
    func `Many streams share the decoding threads`(count: Int, threadCount: Int) async throws {
        var settings = VideoCallSettings()
        settings.decodingThreadCount = threadCount
        let call = try VideoCall(settings, source: nil)
        let peers = try (0..<count).map { try Peer(seed: UInt64($0)) }
        let participants = try peers.map { try $0.join(call) }
        try send(peers, to: call, frameCount: 20) { peers.allSatisfy { $0.screen.checksums.count == 20 } }
        let isIdle = try await eventually { participants.allSatisfy(\.isIdle) }
        #expect(isIdle)
        let received = participants.map { $0.statistics.shown.map(\.received) }
        call.endNow()
        for (peer, received) in zip(peers, received) {
            #expect(received.map(\.decoder.framesDecoded) == [20])
            #expect(peer.screen.isFinished && [peer.screen.checksums.count] == received.map(\.framesShown))
        }
    }

    @Test func `Participants come and go, and the others are shown meanwhile`() async throws {
        let call = try VideoCall(source: nil)
        let peers = try (0..<4).map { try Peer(seed: UInt64($0)) }
        var participants = try peers.prefix(3).map { try $0.join(call) }
        func decoded(_ index: Int) -> Int {
            participants[index].statistics.shown.first?.received.decoder.framesDecoded ?? 0
        }
        try send(Array(peers.prefix(3)), to: call, frameCount: 6) { (0..<3).allSatisfy { decoded($0) == 6 } }
        participants[1].leave()
        let isFinished = try await eventually { peers[1].screen.isFinished }
        #expect(isFinished && call.participants.count == 2)
        // Another one comes. The packets of the one that was left belong to nobody.
        participants.append(try peers[3].join(call))
        let shown = peers[1].screen.checksums.count
        try send(peers, to: call, frameCount: 10) { [0, 2, 3].allSatisfy { decoded($0) == ($0 == 3 ? 10 : 16) } }
        #expect([0, 2, 3].map(decoded) == [16, 16, 10])
        call.endNow()
        // A picture that a busy machine shows too late is decoded only.
        #expect(peers[1].screen.checksums.count == shown && peers.allSatisfy { $0.screen.checksums.count > 4 })
        #expect(peers.allSatisfy { $0.screen.isFinished })
    }

    /// A disk that is full: from the first frame on, or when it is finished.
    private final class FullDisk: FrameSink, Sendable {
        struct DiskFull: Error {}
        let count = Monitor(0)
        private let failsAtEnd: Bool

        init(failsAtEnd: Bool) { self.failsAtEnd = failsAtEnd }

        func consume(_ frame: VideoFrame) throws {
            count.withLock { $0 += 1 }
            if !failsAtEnd { throw DiskFull() }
        }
        func finish() throws { if failsAtEnd { throw DiskFull() } }
    }

    @Test(arguments: [false, true])
    func `A stream whose sink has failed is left alone, and its neighbors are shown`(failsAtEnd: Bool) async throws {
        let call = try VideoCall(source: nil)
        let (peers, disk) = (try (0..<3).map { try Peer(seed: UInt64($0)) }, FullDisk(failsAtEnd: failsAtEnd))
        for (index, peer) in peers.enumerated() { _ = try peer.join(call, sink: index == 1 ? disk : nil) }
        let others = [peers[0], peers[2]]
        try send(peers, to: call, frameCount: 15) { others.allSatisfy { $0.screen.checksums.count == 15 } }
        let events = call.events
        call.endNow()
        var failures = 0
        for await event in events { if case .sinkFailed(_, .high, is FullDisk.DiskFull) = event { failures += 1 } }
        #expect(failures == 1 && disk.count.withLock { failsAtEnd ? $0 > 10 : $0 == 1 })
        #expect(others.map(\.screen.checksums.count) == [15, 15])
        #expect(others.map(\.screen.isFinished) == [true, true])
    }

    @Test func `Packets count even without a complete frame`() async throws {
        let (call, network) = (try VideoCall(source: nil), MemoryTransport())
        let them = try network.join(call, CodedClip.stream) { try $0.show(.high, on: PictureRecording()) }
        // The start of a key frame (S bit, then a payload) whose end never comes.
        network.deliver([[0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0xCA, 0xFE, 0x10, 0x00]])
        let isCounted = try await eventually { them.statistics.shown.first?.received.stream.packetsReceived == 1 }
        #expect(isCounted)
        call.endNow()
    }
}

import RillCore
import RillMediaSupport
import RillTestSupport
import RillThreads
import Testing

@testable import Rill

/// Senders and receivers of one process, wired to each other without a network between them: every packet is received
/// on the thread that sends it, and what a NACK asks for is retransmitted on the thread that asks. Run under the thread
/// sanitizer by the test script.
///
/// A thread that waits for itself or for another one for ever is the failure that is looked for, so nothing here waits
/// for more than a minute longer than it should take.
@Suite struct LiveDirectCallTests {
    private static let seconds = isLongRun ? 60 : 15

    @Test func `A sender and a receiver call each other directly, and repair losses`() throws {
        let call = DirectCall(loss: 0.05, seed: 1)
        try call.add(.high(Resolution(width: 320, height: 240), bitrate: .kilobits(500)), seed: 1)
        try call.run(seconds: Self.seconds)
    }

    @Test func `Seventeen participants call each other directly`() throws {
        let call = DirectCall(loss: 0.05, seed: 2)
        try call.add(.high(.vga, bitrate: .kilobits(600)), seed: 1)
        for seed in 2...17 { try call.add(.low, seed: UInt64(seed)) }
        try call.run(seconds: Self.seconds)
    }
}

/// Participants who send to one receiver, and what it asks of them.
private final class DirectCall {
    private struct Participant {
        let pipeline: SendPipeline
        let layer: LayerSettings
        var ssrc: SSRC { pipeline.layers[0].ssrc }
    }

    /// What is decoded of what is sent, at least.
    private static let leastShare = 0.8

    private let wire: LossyWire
    private let clock = LiveClock()
    private let receiver: LiveReceiver
    private let packets: ConcurrentPacketTap
    /// Whom packets go to.
    private let laid: Monitor<LiveReceiver?>
    /// Who is asked under which of the receiver's numbers.
    private let senders = Monitor([SSRC: SendPipeline]())
    private var participants: [Participant] = []

    init(loss: Double, seed: UInt64) {
        let (wire, clock, senders) = (LossyWire(loss: loss, seed: seed), clock, senders)
        // Retransmissions go to the receiver, which is created later.
        let laid = Monitor<LiveReceiver?>(nil)
        let packets = ConcurrentPacketTap { packet, _ in
            guard !wire.loses() else { return }
            laid.withLock { $0 }?.insert(packet)
        }
        let feedback = ConcurrentPacketTap { packet, _ in
            guard !wire.loses(), let ssrc = SSRC(ofSenderOf: packet) else { return }
            senders.withLock { $0[ssrc] }?.receive(packet, at: clock.now, retransmittingTo: packets)
        }
        let receiver = LiveReceiver(feedback: feedback, clock: clock)
        laid.withLock { $0 = receiver }
        (self.wire, self.receiver, self.packets, self.laid) = (wire, receiver, packets, laid)
    }

    /// The receiver holds what holds it, while the call lasts.
    deinit { laid.withLock { $0 = nil } }

    func add(_ layer: LayerSettings, seed: UInt64) throws {
        let pipeline = try SendPipeline(SendSettings(layers: [layer], seed: seed))
        let settings = try ReceiveSettings(pipeline.stream(of: layer.rid), ssrc: SSRC(UInt32(seed)))
        try receiver.add(settings, sink: FrameTap { _ in })
        senders.withLock { $0[settings.ssrc] = pipeline }
        participants.append(Participant(pipeline: pipeline, layer: layer))
    }

    /// Lets all of them send for a duration, and checks the result.
    func run(seconds: Int) throws {
        let senders = try participants.map { participant in
            LiveSender(
                participant.pipeline,
                source: try LoopedPictures(participant.layer.resolution, frameCount: 30 * seconds),
                packets: packets, clock: clock)
        }
        let latest = clock.now + .seconds(seconds + 60)
        while clock.now < latest, !senders.allSatisfy(\.isFinished) {
            clock.sleep(until: clock.now + .milliseconds(50))
        }
        // A hanging thread is not waited for.
        let isOver = senders.allSatisfy(\.isFinished)
        try #require(isOver, "senders wait for ever")
        for sender in senders { try sender.waitUntilFinished() }
        waitUntilNothingIsDecoded()
        let isStopped = Monitor(false)
        let receiver = receiver
        let stopping = NamedThread("stopping") {
            #expect(throws: Never.self) { try receiver.stop() }
            isStopped.change { $0 = true }
        }
        let deadline = clock.monotonic(clock.now + .seconds(60))
        let end: Void? = isStopped.wait(untilMonotonic: deadline) { $0 ? () : nil }
        try #require(end != nil, "the receiver waits for ever")
        stopping.join()

        #expect(wire.lostCount > 0)
        var retransmitted = 0
        for participant in participants {
            let sent = participant.pipeline.statistics[0]
            let received = try #require(receiver.statistics(of: participant.ssrc))
            retransmitted += sent.stream.retransmittedPacketsSent
            let decoded = received.decoder.framesDecoded
            let enough = Int(Double(sent.encoder.framesEncoded) * Self.leastShare)
            #expect(
                decoded >= enough && enough > 0,
                "\(participant.ssrc): \(decoded) of \(sent.encoder.framesEncoded) frames, \(received.stream)"
            )
            #expect(received.repair.retransmittedPacketsReceived <= sent.stream.retransmittedPacketsSent)
        }
        #expect(retransmitted > 0)
    }

    /// A busy machine is behind with decoding: it may catch up, as long as it does anything.
    private func waitUntilNothingIsDecoded() {
        var (count, since) = (-1, clock.now)
        while !receiver.isIdle, clock.now - since < .seconds(1) {
            clock.sleep(until: clock.now + .milliseconds(50))
            let newCount = participants.reduce(0) { sum, participant in
                sum + (receiver.statistics(of: participant.ssrc)?.decoder.framesDecoded ?? 0)
            }
            if newCount != count { (count, since) = (newCount, clock.now) }
        }
    }
}

/// Loses a share of what goes through it, by seeded chance. Any thread.
private final class LossyWire: Sendable {
    private let state: Monitor<(random: SeededGenerator, lost: Int)>
    private let loss: Double

    init(loss: Double, seed: UInt64) {
        self.loss = loss
        state = Monitor((SeededGenerator(seed: seed), 0))
    }

    func loses() -> Bool {
        state.withLock { state in
            guard Double.random(in: 0..<1, using: &state.random) < loss else { return false }
            state.lost += 1
            return true
        }
    }

    var lostCount: Int { state.withLock { $0.lost } }
}

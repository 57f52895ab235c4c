import Rill
import RillCore
import RillLab
import RillLink
import RillMediaSupport
import RillTestSupport
import RillTransport
import Testing

/// Seventeen who send both layers, and one who watches them all: one high, sixteen low, and which one is high changes.
@Suite struct ConferenceWantTests {
    private static let count = 17
    private static let roundTrip = MediaDuration.milliseconds(20)

    /// In real time, which a machine that runs other tests beside it has not.
    @Test(.needsMinutes)
    func `The viewed participant is soon shown large, and no other encodes the high layer`() async throws {
        let changes = 100
        let screens = (0..<Self.count).map { _ in Screen() }
        let socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        let viewer = try VideoCall(VideoCallSettings(layers: Sender.layers), source: nil)
        let senders = try (0..<Self.count).map { try Sender("sender \($0)", to: socket.localAddress) }
        var them: [CallParticipant] = []
        for (sender, screen) in zip(senders, screens) {
            var settings = ParticipantSettings(sender.name, at: sender.transport.localAddress, key: nil)
            settings.streams = VideoCallSettings(layers: Sender.layers).streams()
            let participant = try viewer.add(settings, over: socket) { them in
                try them.want(.low)
                try them.show(on: screen)
            }
            them.append(participant)
        }
        #expect(try await until { screens.allSatisfy { $0.last == Sender.layers[1].resolution } })
        var (high, latencies) = (0, [MediaDuration]())
        var random = SeededGenerator(seed: 27)
        var late = 0
        for _ in 0..<changes {
            let next = (high + Int.random(in: 1..<Self.count, using: &random)) % Self.count
            let start = screens[next].await(Sender.layers[0].resolution)
            try viewer.want(.low, of: them[high])
            try viewer.want(.high, of: them[next])
            #expect(
                try await until { screens[next].arrival != nil && screens[high].last == Sender.layers[1].resolution })
            latencies.append((screens[next].arrival ?? start) - start)
            // Who is low now hears of it.
            #expect(try await rests(senders[high]))
            high = next
            let before = senders.map(\.framesEncoded)
            let bytes = senders.map(\.bytesSent)
            try await Task.sleep(for: .milliseconds(250))
            for (index, sender) in senders.enumerated() where index != high {
                if sender.framesEncoded[0] != before[index][0] { late += 1 }
                // 45 kbit/s for a quarter of a second is 1400 bytes; the high layer alone is 25 kB.
                #expect(sender.bytesSent - bytes[index] < 6000)
            }
            #expect(senders[high].framesEncoded[0] > before[high][0])
        }
        latencies.sort()
        note(
            "\(changes) changes of who is high among \(Self.count): \(latencies[changes / 2]) in the middle, "
                + "p95 \(latencies[changes * 95 / 100]), \(latencies[changes - 1]) at the most")
        #expect(late == 0, "encoders of unwanted layers were active")
        #expect(latencies[changes * 95 / 100] <= Self.roundTrip + .milliseconds(150))
        await viewer.end()
        for sender in senders { await sender.call.end() }
        for screen in screens { #expect(screen.stepsBack == 0) }
    }

    /// Waits for the encoder of the high layer to rest.
    private func rests(_ sender: Sender) async throws -> Bool {
        var last = -1
        for _ in 0..<100 {
            let count = sender.framesEncoded[0]
            if count == last { return true }
            last = count
            try await Task.sleep(for: .milliseconds(120))
        }
        return false
    }

    /// Waits until a condition is true, for at most a minute.
    private func until(_ isTrue: () -> Bool) async throws -> Bool {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(60)
        while clock.now < end {
            if isTrue() { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return isTrue()
    }

    private final class Sender: Sendable {
        static let layers: [LayerSettings] = [.high(.vga, bitrate: .kilobits(800)), .low]
        let name: String
        let call: VideoCall
        let transport: LinkedTransport

        init(_ name: String, to viewer: UDPAddress) throws {
            self.name = name
            transport = try LinkedTransport(
                UDPSocket(boundTo: UDPAddress(.loopback, port: 0)), to: viewer, delay: roundTrip)
            let source = try LoopedPictures(.vga, frameCount: 30 * 600)
            call = try VideoCall(VideoCallSettings(layers: Sender.layers), source: source)
            var settings = ParticipantSettings("viewer", at: viewer, key: nil)
            settings.streams = []
            try call.add(settings, over: transport)
        }

        var framesEncoded: [Int] { call.statistics.layers.map(\.encoder.framesEncoded) }
        var bytesSent: Int { Int(call.statistics.participants.first?.session.transport.bytesSent ?? 0) }
    }

    /// What one of them is shown on.
    private final class Screen: FrameSink, Sendable {
        private struct State {
            var last: Resolution?
            var time: MediaTime?
            var stepsBack = 0
            var awaited: Resolution?
            var arrival: MediaTime?
        }
        private let state = Monitor(State())
        private let clock = LiveClock()

        var last: Resolution? { state.withLock { $0.last } }
        var stepsBack: Int { state.withLock { $0.stepsBack } }
        /// When the first picture of the awaited size came.
        var arrival: MediaTime? { state.withLock { $0.arrival } }

        /// Waits for a picture of that size from now on.
        func await(_ size: Resolution) -> MediaTime {
            state.withLock { state in
                (state.awaited, state.arrival) = (size, nil)
                return clock.now
            }
        }

        func consume(_ frame: VideoFrame) {
            let now = clock.now
            state.withLock { state in
                state.last = frame.resolution
                if let time = state.time, frame.captureTime <= time { state.stepsBack += 1 }
                state.time = frame.captureTime
                if state.arrival == nil, frame.resolution == state.awaited { state.arrival = now }
            }
        }

        func finish() {}
    }
}

/// A socket whose datagrams reach the one that they are for after a delay.
private final class LinkedTransport: DatagramTransport {
    private let socket: UDPSocket
    private let link: LiveLink
    private let clock = LiveClock()

    init(_ socket: UDPSocket, to address: UDPAddress, delay: MediaDuration) throws {
        self.socket = socket
        let settings = try LinkSettings(notation: "delay=\(delay.nanoseconds / 1_000_000)ms")
        link = try LiveLink(settings, clock: clock) { datagram, _ in
            do { try socket.send(datagram, to: address) } catch { Issue.record("\(error)") }
        }
    }

    var localAddress: UDPAddress { socket.localAddress }
    var statistics: TransportStatistics { socket.statistics }

    func send(_ datagrams: inout OutgoingDatagrams) -> RillTransport.SendOutcome {
        for index in 0..<datagrams.count { link.send(datagrams.bytes(at: index), at: clock.now) }
        datagrams.removeAll()
        return .sent
    }

    func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome {
        try socket.receive(into: &datagrams, within: timeout)
    }

    func close() { socket.close() }
}

import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillSession
import Testing

/// A sender that restarts, in every way in which its numbers, timestamps and SSRC may go on: 30 frames a second of five
/// packets each, a key frame each two seconds, no answer to requests.
@Suite struct RestartTableTests {
    enum Numbers: String, CaseIterable, CustomTestStringConvertible {
        case on, back50, back200, back400, back2000, back20000, fromZero
        var testDescription: String { rawValue }

        func apply(to number: SequenceNumber) -> SequenceNumber {
            switch self {
            case .on: number
            case .back50: number.advanced(by: -50)
            case .back200: number.advanced(by: -200)
            case .back400: number.advanced(by: -400)
            case .back2000: number.advanced(by: -2000)
            case .back20000: number.advanced(by: -20_000)
            case .fromZero: SequenceNumber(0)
            }
        }
    }

    enum Times: String, CaseIterable {
        case on, back, jump

        /// The step of the timestamp over the pause.
        func step(over pause: MediaDuration) -> Int64 {
            switch self {
            case .on: Int64(pause.seconds * 90_000)
            case .back: -2 * 90_000
            case .jump: 1_234_567_890
            }
        }
    }

    struct Restart {
        var isNewSource: Bool
        var numbers: Numbers
        var times: Times
        var pause: MediaDuration
        var hasPictureIDs: Bool
    }

    struct Cell {
        var restart: Restart
        var sent = 0
        var shown = 0
        var requests = 0
        /// From the first packet after the restart to the first frame shown.
        var delay: MediaDuration?

        var line: String {
            let cells = [
                restart.isNewSource ? "new" : "same", restart.numbers.rawValue, restart.times.rawValue,
                "\(Int(restart.pause.milliseconds))", restart.hasPictureIDs ? "yes" : "no", "\(sent)", "\(shown)",
                "\(sent - shown)", "\(requests)", delay.map { "\(Int($0.milliseconds))" } ?? "never",
            ]
            return cells.joined(separator: "\t")
        }

        static let title = "SSRC\tnumbers\ttimes\tpause ms\tpicture IDs\tsent\tshown\tlost\tPLIs\tfirst ms"
    }

    private static let interval = MediaDuration(nanoseconds: 33_333_333)
    private static let transit = MediaDuration.milliseconds(20)

    /// Runs three seconds of a stream, the restart, and eight seconds more.
    private func run(_ restart: Restart) throws -> Cell {
        let bob = Endpoint(seed: 2)
        var stream = SyntheticStream()
        stream.sequence = SequenceNumber(30_000)
        if !restart.hasPictureIDs { stream.descriptor.pictureID = nil }
        var settings = Call.stream(seed: 11)
        (settings.ssrc, settings.payloadType) = (stream.ssrc, stream.payloadType)
        _ = try bob.session.receive(Call.receiving(settings), at: .zero)
        var now = MediaTime.zero
        func pass(until time: MediaTime) {
            while bob.wakeTime <= time { bob.wake(at: max(now, bob.wakeTime)) { _ in } }
            now = time
        }
        func send(_ count: Int, from start: MediaTime) {
            for index in 0..<count {
                let frame = stream.frame(isKey: index % 60 == 0, packets: 5)
                pass(until: start + Self.interval * index)
                for packet in frame.packets { bob.session.insert(packet.span, at: now) }
                bob.wake(at: now) { _ in }
            }
        }
        send(90, from: MediaTime.zero + Self.transit)
        let start = MediaTime.zero + Self.transit + Self.interval * 90 + restart.pause
        stream.sequence = restart.numbers.apply(to: stream.sequence)
        stream.timestamp = stream.timestamp.advanced(by: restart.times.step(over: restart.pause))
        if restart.hasPictureIDs { stream.descriptor.pictureID = .long(7) }
        if restart.isNewSource { stream.ssrc = SSRC(0xBEEF) }
        pass(until: start - MediaDuration(nanoseconds: 1))
        let before = requests(of: bob)
        var cell = Cell(restart: restart)
        bob.decode = { frame, _, time in
            // Frames of before the restart may still wait for their time, and do not count.
            if frame.frame.timestamps[.arrived] ?? time >= start, frame.isShown {
                cell.delay = cell.delay ?? time - start
                cell.shown += 1
            }
        }
        send(240, from: start)
        pass(until: now + .seconds(2))
        (cell.sent, cell.requests) = (240, requests(of: bob) - before)
        return cell
    }

    private func requests(of end: Endpoint) -> Int {
        end.events.count { if case .keyFrameRequested = $0 { true } else { false } }
    }

    @Test func `A sender that restarts in any way is shown after at most a key frame interval`() throws {
        var lines = [Cell.title]
        for restart in restarts {
            let cell = try run(restart)
            lines.append(cell.line)
            #expect(cell.delay ?? .seconds(100) <= .seconds(2) + Self.transit * 2, "\(cell.line)")
            // A request, and a few repetitions: this sender does not answer.
            #expect(cell.requests <= 6, "\(cell.line)")
            #expect(cell.shown >= 180, "\(cell.line)")
        }
        print(lines.joined(separator: "\n"))
    }

    private var restarts: [Restart] {
        var all: [Restart] = []
        for isNewSource in [false, true] {
            for numbers in Numbers.allCases {
                for times in Times.allCases {
                    for pause in [MediaDuration.zero, .milliseconds(100), .seconds(1)] {
                        for hasPictureIDs in [false, true] {
                            all.append(
                                Restart(
                                    isNewSource: isNewSource, numbers: numbers, times: times, pause: pause,
                                    hasPictureIDs: hasPictureIDs))
                        }
                    }
                }
            }
        }
        return all
    }

    /// Cameras exist whose SSRC is new with each group of pictures.
    @Test(arguments: [(30, 30), (30, 60), (5, 10), (60, 60)])
    func `A camera with a new SSRC for each group of pictures is shown`(rate: Int, length: Int) throws {
        let bob = Endpoint(seed: 2)
        var stream = SyntheticStream()
        stream.descriptor.pictureID = nil
        var settings = Call.stream(seed: 11)
        (settings.ssrc, settings.payloadType) = (stream.ssrc, stream.payloadType)
        _ = try bob.session.receive(Call.receiving(settings, isAnnounced: false), at: .zero)
        var now = MediaTime.zero
        func pass(until time: MediaTime) {
            while bob.wakeTime <= time { bob.wake(at: max(now, bob.wakeTime)) { _ in } }
            now = time
        }
        let interval = MediaDuration.seconds(1 / Double(rate))
        for index in 0..<180 {
            if index % length == 0 { stream.ssrc = SSRC(UInt32(0xBEEF + index)) }
            let frame = stream.frame(isKey: index % length == 0, packets: 5, ticks: Int64(90_000 / rate))
            pass(until: .zero + interval * index)
            for packet in frame.packets { bob.session.insert(packet.span, at: now) }
            bob.wake(at: now) { _ in }
        }
        pass(until: now + .seconds(1))
        let shown = bob.frames.count(where: \.isShown)
        print("\(rate) a second, a new SSRC each \(length): \(bob.frames.count) decoded, \(shown) shown of 180")
        #expect(bob.frames.count == 180)
        // Those that wait for the decision may be overdue after it.
        #expect(shown >= 180 - 180 / length * 4)
        #expect(requests(of: bob) == 0)
    }
}

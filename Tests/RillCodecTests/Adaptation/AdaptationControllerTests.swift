import RillCore
import Testing

@testable import RillCodec

@Suite struct AdaptationControllerTests {
    /// An encoder in virtual time: it needs so much for a pixel, and the controller decides how many it gets.
    private struct Machine {
        var controller: AdaptationController
        let resolution: Resolution
        let frameRate: FrameRate
        /// Nanoseconds for a pixel.
        var cost: Double
        var quantizer = 60
        var dropShare = 0.0
        var now = MediaTime.zero
        private(set) var steps: [(time: MediaTime, step: AdaptationController.Step)] = []

        init(
            _ preference: DegradationPreference, resolution: Resolution = .hd720, frameRate: FrameRate = 30,
            cost: Double
        ) {
            var settings = AdaptationSettings()
            settings.preference = preference
            controller = AdaptationController(settings, resolution: resolution, frameRate: frameRate)
            self.resolution = resolution
            self.frameRate = frameRate
            self.cost = cost
        }

        var size: Resolution { controller.degradation.applied(to: resolution) }
        var rate: FrameRate { controller.degradation.applied(to: frameRate) }

        mutating func run(_ duration: MediaDuration) {
            let end = now + duration
            var owed = 0.0
            while now < end {
                owed += dropShare
                let time = MediaDuration(nanoseconds: Int64(cost * Double(size.pixelCount)))
                let isDropped = owed >= 1
                if isDropped { owed -= 1 }
                let step = controller.add(isDropped ? .dropped : .encoded(in: time, quantizer: quantizer), at: now)
                if let step { steps.append((now, step)) }
                now += rate.interval
            }
        }
    }

    /// A cost of 30 ms at 1280x720, of 33 ms that are available.
    private static let tooMuch = 30e6 / Double(1280 * 720)

    @Test func `A fast encoder is left alone`() {
        var machine = Machine(.balanced, cost: Self.tooMuch / 4)
        machine.run(.seconds(600))
        #expect(machine.steps.isEmpty)
    }

    @Test(arguments: [
        (DegradationPreference.maintainFramerate, Resolution(width: 960, height: 540), 30.0),
        (.maintainResolution, .hd720, 20), (.balanced, Resolution(width: 960, height: 540), 30),
    ])
    func `A slow encoder gets less`(preference: DegradationPreference, size: Resolution, rate: Double) {
        var machine = Machine(preference, cost: Self.tooMuch)
        machine.run(.seconds(60))
        #expect(machine.steps.map(\.step.reason) == [.encodeTime], "\(machine.steps)")
        #expect(machine.size == size)
        #expect(abs(machine.rate.framesPerSecond - rate) < 0.01)
        #expect((machine.steps.first?.time ?? .distantFuture) < .zero + .milliseconds(2100))
    }

    @Test func `Balanced gives up size first and rate of small pictures`() {
        var machine = Machine(.balanced, cost: Self.tooMuch * 400)
        machine.run(.seconds(60))
        let sizes = machine.steps.map { $0.step.degradation.applied(to: .hd720).width }
        let rates = machine.steps.map { Int($0.step.degradation.applied(to: 30 as FrameRate).framesPerSecond) }
        #expect(sizes == [960, 640, 640, 480, 480, 320, 320, 240, 160, 160], "\(sizes) at \(rates)")
        #expect(rates == [30, 30, 20, 20, 13, 13, 8, 8, 8, 5], "\(sizes) at \(rates)")
        machine.run(.seconds(600))
        #expect(machine.steps.count == 10, "there is nothing left to give up")
    }

    @Test func `Coarse pictures become smaller, and grow when they are fine`() {
        var machine = Machine(.maintainFramerate, cost: Self.tooMuch / 10)
        machine.quantizer = 110
        machine.run(.milliseconds(2500))
        #expect(machine.steps.map(\.step.reason) == [.quantizer])
        machine.quantizer = 60
        machine.run(.seconds(120))
        #expect(machine.steps.count == 1, "60 is neither coarse nor fine")
        machine.quantizer = 20
        machine.run(.seconds(20))
        #expect(machine.controller.degradation == .none)
    }

    @Test func `Many drops are too much`() {
        var machine = Machine(.maintainResolution, cost: Self.tooMuch / 10)
        machine.dropShare = 0.3
        machine.run(.seconds(60))
        #expect(machine.steps.isEmpty)
        machine.dropShare = 0.5
        machine.run(.milliseconds(2500))
        #expect(machine.steps.map(\.step.reason) == [.drops])
    }

    @Test func `It recovers in reverse order`() {
        var machine = Machine(.balanced, cost: Self.tooMuch * 3)
        machine.run(.seconds(60))
        let down = machine.steps.map(\.step.degradation)
        #expect(down.count > 1)
        machine.cost = Self.tooMuch / 20
        machine.quantizer = 20
        machine.run(.seconds(300))
        let up = machine.steps.dropFirst(down.count).map(\.step.degradation)
        #expect(up == Array(down.dropLast().reversed()) + [.none])
    }

    @Test func `A step that would be too much is not tried`() {
        // After one step the encoder has 0.51 of the interval to do; before it had 0.9. It stays.
        var machine = Machine(.maintainFramerate, cost: Self.tooMuch)
        machine.quantizer = 20
        machine.run(.seconds(3600))
        #expect(machine.steps.count == 1)
    }

    @Test func `A failing camera is retried less and less often`() {
        // Pictures that are fine when small and too coarse when large: no measurement predicts it.
        var machine = Machine(.maintainFramerate, cost: Self.tooMuch / 10)
        for _ in 0..<3600 {
            machine.quantizer = machine.controller.degradation == .none ? 110 : 20
            machine.run(.seconds(1))
        }
        let ups = machine.steps.filter { $0.step.reason == .recovered }.map(\.time)
        let gaps = zip(ups.dropFirst(), ups).map { ($0 - $1).seconds }
        #expect(gaps.count > 5)
        #expect(zip(gaps, gaps.dropFirst()).allSatisfy { $0 <= $1 + 3 }, "\(gaps)")
        #expect((230...260).contains(gaps.last ?? 0), "\(gaps)")
    }

    @Test func `Sizes keep their shape`() {
        var degradation = Degradation.none
        var sizes: [String] = []
        for _ in 0..<5 {
            sizes.append(degradation.applied(to: .hd720).description)
            degradation = degradation.smaller
        }
        #expect(sizes == ["1280x720", "960x540", "640x360", "480x270", "320x180"])
    }
}

import Glibc
import RillCore
import RillTestSupport
import Testing

@testable import RillCodec

struct BitrateAdaptationTests {
    /// A layer of 1280x720 at 30 frames per second in virtual time, encoded as the measured clip is.
    private struct Layer {
        var adaptation: BitrateAdaptation
        var bitrate: (Double) -> Double
        /// How many times the bits of the measured clip the pictures take.
        var content = 1.0
        private(set) var now = MediaTime.zero
        private(set) var changes: [(time: Double, size: Resolution, rate: Double)] = []
        private let model = QuantizerModel(.vp8)

        init(
            _ preference: DegradationPreference = .balanced, minimumPixelCount: Int = 0,
            bitrate: @escaping (Double) -> Double
        ) {
            var settings = AdaptationSettings()
            settings.preference = preference
            adaptation = BitrateAdaptation(
                settings, codec: .vp8, resolution: .hd720, frameRate: 30, minimumPixelCount: minimumPixelCount)
            self.bitrate = bitrate
        }

        var size: Resolution { adaptation.degradation.applied(to: .hd720) }
        var rate: Double { adaptation.degradation.applied(to: 30 as FrameRate).framesPerSecond }

        mutating func run(_ seconds: Double) {
            let end = now + .seconds(seconds)
            while now < end {
                let bits = bitrate(now.seconds)
                if adaptation.fit(Bitrate(bitsPerSecond: Int(bits)), at: now) != nil {
                    changes.append((now.seconds, size, rate))
                }
                // 359 kbit/s at index 95 and 1280x720; the index at which the frame has its share, or the coarsest.
                let share = bits / 8 / rate
                let load = pow(Double(size.pixelCount) / 921_600, 0.69) * (rate / 30).squareRoot()
                let atLimit = content * 359_000 * load / 8 / rate
                let index = min(106, Int(106 * pow(atLimit / share, 1 / 1.38) - 11))
                let bytes = atLimit * (model?.ratio(from: 95, to: Double(max(2, index))) ?? 1)
                adaptation.add(byteCount: Int(bytes), quantizer: max(2, index), of: size, at: now)
                now += .seconds(1 / rate)
            }
        }
    }

    @Test func `Enough bits leave the layer alone`() {
        var layer = Layer { _ in 2_500_000 }
        layer.run(60)
        #expect(layer.changes.isEmpty)
    }

    /// The issue's bar: at 500 kbit/s for both layers the high one has 15 frames per second, and nearly the encoder's
    /// own PSNR, which at 960x540 and 425 kbit/s is 1 dB lower than at 1280x720 and 500.
    @Test func `A fifth of the bits keeps size and rate of an easy clip`() {
        var layer = Layer { $0 < 10 ? 2_500_000 : 425_000 }
        layer.run(40)
        #expect(layer.rate == 30 && layer.size.height >= 540, "\(layer.changes)")
    }

    @Test func `A deep cut takes effect within a second, in one step`() throws {
        var layer = Layer { $0 < 10 ? 2_500_000 : 100_000 }
        layer.run(20)
        let first = try #require(layer.changes.first)
        #expect(first.time < 11, "\(layer.changes)")
        #expect(layer.changes.filter { $0.time < 12 }.count == 1, "\(layer.changes)")
        #expect(layer.size.pixelCount <= 480 * 270 && layer.rate >= 10, "\(layer.size) at \(layer.rate)")
    }

    @Test(arguments: [DegradationPreference.maintainFramerate, .maintainResolution, .balanced])
    func `The app's preference holds`(preference: DegradationPreference) {
        var layer = Layer(preference) { $0 < 10 ? 2_500_000 : 120_000 }
        layer.run(20)
        switch preference {
        case .maintainFramerate: #expect(layer.rate == 30 && layer.size.height <= 270)
        case .maintainResolution: #expect(layer.rate <= 9 && layer.size == .hd720)
        case .balanced: #expect(layer.rate >= 10 && layer.size.height <= 360)
        }
    }

    @Test func `It comes back slowly, and all the way`() throws {
        var layer = Layer { (10..<20).contains($0) ? 100_000 : 2_500_000 }
        layer.run(60)
        #expect(layer.adaptation.degradation == .none)
        let up = try #require(layer.changes.first { $0.time > 20 })
        #expect(up.time >= 23 && up.time <= 24, "\(layer.changes)")
    }

    /// At every mean bitrate, ripples of a second, of ten, and of a minute.
    @Test(arguments: [1.0, 10, 60])
    func `A share that ripples by 18 percent changes nothing after it has converged`(period: Double) {
        for step in 0..<40 {
            let mean = 40_000 * pow(1.12, Double(step))
            var layer = Layer { mean * (1 + 0.18 * sin(2 * .pi * $0 / period)) }
            layer.run(3 * max(period, 10))
            let steady = layer.changes.count
            layer.run(4 * max(period, 10))
            #expect(layer.changes.count == steady, "\(Int(mean)) bit/s: \(layer.changes)")
        }
    }

    @Test func `A failing camera is retried less and less often`() {
        // Ten seconds enough, ten seconds too little: a link that two share.
        var layer = Layer { Int($0 / 10) % 2 == 0 ? 900_000 : 150_000 }
        layer.run(600)
        let ups = zip(layer.changes, layer.changes.dropFirst()).filter { $1.size.pixelCount > $0.size.pixelCount }
        let (early, late) = (ups.count { $1.time < 200 }, ups.count { $1.time >= 400 })
        #expect(late < early, "\(layer.changes.map { "\($0.time) \($0.size)" })")
    }

    @Test func `Pictures that take more bits are smaller at the same bitrate`() {
        var easy = Layer { _ in 500_000 }
        var hard = easy
        hard.content = 4
        easy.run(30)
        hard.run(30)
        #expect(hard.size.pixelCount < easy.size.pixelCount, "\(hard.size) and \(easy.size)")
        #expect(hard.changes.count <= 3, "\(hard.changes)")
    }

    @Test func `It stops at the size of the next layer, and reports its bitrate`() {
        var layer = Layer(minimumPixelCount: 2 * 160 * 120) { _ in 1000 }
        layer.run(10)
        #expect(layer.size.pixelCount >= 2 * 160 * 120)
        #expect(
            (20_000...60_000).contains(layer.adaptation.minimumBitrate.bitsPerSecond),
            "\(layer.adaptation.minimumBitrate)")
    }

    @Test func `Times that do not increase and unknown quantizers change nothing`() {
        var adaptation = BitrateAdaptation(AdaptationSettings(), codec: "AV1", resolution: .hd720, frameRate: 30)
        for _ in 0..<1000 {
            adaptation.add(byteCount: 1, quantizer: nil, of: .hd720, at: .zero)
            for time in [MediaTime.zero, MediaTime(nanoseconds: -5)] {
                let degradation = adaptation.fit(.kilobits(50), at: time)
                #expect(degradation == nil)
            }
        }
        let degradation = adaptation.fit(.kilobits(50), at: .zero + .seconds(1))
        #expect(degradation != nil)
    }
}

import RillCore
import RillRTP
import RillSession
import Testing

@Suite struct LayerSelectorTests {
    /// Two streams of one camera, whose clocks have their own zeros; what is captured at `time` is due here a delay
    /// later.
    private static func picture(
        _ layer: Int, captured time: Double, delay: Double = 0.1, isClockKnown: Bool = true, clockError: Double = 0
    ) -> LayerSelector.Picture {
        LayerSelector.Picture(
            captureTime: .zero + .seconds(time + (layer == 0 ? 1000 : 7)),
            wallClock: isClockKnown
                ? NTPTimestamp.unixEpoch.advanced(byNanoseconds: Int64((time + clockError) * 1_000_000_000)) : nil,
            playoutTime: .zero + .seconds(time + delay))
    }

    private static func run(
        _ selector: inout LayerSelector, _ layer: Int, _ times: [Double], delay: Double = 0.1,
        isClockKnown: Bool = true,
        clockError: Double = 0
    ) -> [Double] {
        times.compactMap { time in
            selector.show(
                picture(layer, captured: time, delay: delay, isClockKnown: isClockKnown, clockError: clockError),
                of: layer)
        }.map { Double($0.nanoseconds) / 1_000_000_000 }
    }

    @Test func `The new layer is shown from its first picture on, the old one until then`() {
        var selector = LayerSelector()
        selector.want(0)
        #expect(selector.needs(0) && !selector.needs(1))
        #expect(Self.run(&selector, 0, [0, 1]) == [1000, 1001])
        selector.want(1)
        #expect(selector.needs(0) && selector.needs(1))
        #expect(Self.run(&selector, 0, [1.5]) == [1001.5])
        #expect(Self.run(&selector, 1, [2, 2.2]) == [1002, 1002.2])
        #expect(selector.current == 1 && !selector.needs(0))
        #expect(Self.run(&selector, 0, [3]) == [])
    }

    @Test(arguments: [true, false])
    func `No frame repeats or goes back, with either clock`(isClockKnown: Bool) {
        var selector = LayerSelector()
        selector.want(0)
        #expect(Self.run(&selector, 0, [0, 0.033, 0.066], isClockKnown: isClockKnown).count == 3)
        selector.want(1)
        // Its first pictures are older: one was shown already.
        let shown = Self.run(&selector, 1, [0.033, 0.066, 0.1, 0.3], isClockKnown: isClockKnown)
        #expect(shown.count == (isClockKnown ? 2 : 4))
        #expect(zip(shown, shown.dropFirst()).allSatisfy { $0 < $1 } && shown[0] > 1000.066)
        #expect(!selector.awaits(1))
    }

    @Test func `Who waits for a picture waits until one is shown`() {
        var selector = LayerSelector()
        selector.want(0)
        _ = Self.run(&selector, 0, [0, 1])
        selector.want(1)
        #expect(Self.run(&selector, 1, [0.9]) == [] && selector.awaits(1))
        #expect(Self.run(&selector, 1, [1.1]).count == 1 && !selector.awaits(1))
    }

    @Test(arguments: [-86400.0, 31_536_000.0])
    func `An implausible clock stops nothing`(clockError: Double) {
        var selector = LayerSelector()
        selector.want(0)
        _ = Self.run(&selector, 0, [0, 1])
        selector.want(1)
        let shown = Self.run(&selector, 1, [1.2, 1.4], clockError: clockError)
        #expect(shown.count == 2 && abs(shown[0] - 1001.2) < 0.01 && abs(shown[1] - 1001.4) < 0.01, "\(shown)")
    }

    @Test func `A stream continues after a jump`() {
        var selector = LayerSelector()
        selector.want(0)
        _ = Self.run(&selector, 0, [5000, 5001])
        // Back by an hour, as a sender that was restarted.
        let shown = Self.run(&selector, 0, [1401, 1402], delay: 3600.2)
        #expect(shown.count == 2 && shown[0] > 6001, "\(shown)")
    }

    @Test func `Wanting no layer shows nothing, and later frames are newer than all before`() {
        var selector = LayerSelector()
        selector.want(1)
        _ = Self.run(&selector, 1, [0, 1])
        selector.want(nil)
        #expect(Self.run(&selector, 1, [2]) == [] && !selector.needs(1))
        selector.want(0)
        #expect(Self.run(&selector, 0, [1, 3]) == [10])
    }
}

import RillCore
import RillLink
import Testing

@Suite struct LinkSettingsTests {
    static let whole = "loss=2%,delay=40ms,jitter=10ms,reorder=1%,duplicate=0.5%,rate=2M,seed=7"

    @Test func `It reads the command line`() throws {
        let settings = try LinkSettings(notation: LinkSettingsTests.whole)
        let expected = try LinkSettings(
            loss: .percent(2), delay: .milliseconds(40), jitter: .milliseconds(10), reorder: .percent(1),
            duplicate: Percentage(partsPerMillion: 5000), rate: RateSchedule(.megabits(2)), seed: 7)
        #expect(settings == expected)
        #expect(settings.reorderDelay == .milliseconds(40) && settings.queueLimit == nil)
    }

    @Test func `It takes settings in any order, and none at all`() throws {
        #expect(try LinkSettings(notation: "") == .clean)
        #expect(
            try LinkSettings(notation: "seed=3,queue=1.5s,reorder-delay=5ms,loss=0")
                == LinkSettings(reorderDelay: .milliseconds(5), queueLimit: .time(.milliseconds(1500)), seed: 3))
    }

    @Test(
        arguments: [
            ("lose=2%", .unknownSetting("lose=2%")), ("loss=2%,", .unknownSetting("")), (",", .unknownSetting("")),
            ("2%", .unknownSetting("2%")), ("Loss=2%", .unknownSetting("Loss=2%")), ("=2%", .unknownSetting("=2%")),
            ("loss", .missingValue(.loss)), ("seed=", .missingValue(.seed)),
            ("loss=1%,loss=1%", .repeatedSetting(.loss)),
            ("loss=2", .invalidValue(.loss, .unknownUnit("", in: "2", .percentage))),
            ("loss=200%", .invalidValue(.loss, .tooLarge("200%", .percentage))),
            ("delay=40", .invalidValue(.delay, .unknownUnit("", in: "40", .duration))),
            ("delay=4=0ms", .invalidValue(.delay, .unknownUnit("=0ms", in: "4=0ms", .duration))),
            ("rate=fast", .invalidValue(.rate, .notANumber("fast", .bitrate))),
            ("rate=0", .rateOutOfRange(Bitrate(bitsPerSecond: 0))),
            ("rate=999", .rateOutOfRange(Bitrate(bitsPerSecond: 999))),
            ("seed=+7", .invalidSeed("+7")), ("seed=-1", .invalidSeed("-1")),
            ("seed=18446744073709551616", .invalidSeed("18446744073709551616")),
            ("delay=61s", .durationOutOfRange(.delay, .seconds(61), maximum: .seconds(60))),
            ("reorder-delay=61s", .durationOutOfRange(.reorderDelay, .seconds(61), maximum: .seconds(60))),
            ("queue=61s", .durationOutOfRange(.queue, .seconds(61), maximum: .seconds(60))),
            ("duplicate-delay=61s", .durationOutOfRange(.duplicateDelay, .seconds(61), maximum: .seconds(60))),
            ("burst=5%", .malformedValue(.burst, "5%")), ("burst=5%/x", .malformedValue(.burst, "5%/x")),
            ("burst=5%/1.2345", .malformedValue(.burst, "5%/1.2345")),
            ("burst=5/3", .invalidValue(.burst, .unknownUnit("", in: "5", .percentage))),
            ("burst=90%/3", .impossibleBurst(.gilbert(loss: .percent(90), length: 3))),
            ("blackout=2s", .malformedValue(.blackout, "2s")),
            ("blackout=2s@3s+4s+5s", .malformedValue(.blackout, "2s@3s+4s+5s")),
            ("blackout=2s@3s/", .malformedValue(.blackout, "2s@3s/")),
            ("blackout=2s@3", .invalidValue(.blackout, .unknownUnit("", in: "3", .duration))),
            (
                "blackout=0s@3s",
                .durationOutOfRange(
                    .blackout, .zero, minimum: MediaDuration(nanoseconds: 1), maximum: .seconds(1_000_000))
            ),
            (
                "blackout=2s@3s+2s",
                .durationOutOfRange(
                    .blackout, .seconds(2), minimum: MediaDuration(nanoseconds: 2_000_000_001),
                    maximum: .seconds(1_000_000))
            ),
            ("spikes=1s", .malformedValue(.spikes, "1s")),
            (
                "spikes=1s/9ms",
                .durationOutOfRange(
                    .spikes, .milliseconds(9), minimum: .milliseconds(10), maximum: .seconds(1_000_000))
            ),
            ("wifi=2ms", .malformedValue(.wifi, "2ms")),
            (
                "wifi=2ms/1ms",
                .durationOutOfRange(.wifi, .milliseconds(1), minimum: .milliseconds(2), maximum: .seconds(60))
            ),
            ("order=sorted", .unknownOrder("sorted")),
            ("rate=2M@1s", .malformedValue(.rate, "2M@1s")), ("rate=2M/1M", .malformedValue(.rate, "2M/1M")),
            ("rate=2M/1M@5s/1M@4s", .stepsNotRising(.seconds(5), .seconds(4))),
            ("rate=2M/0@5s", .rateOutOfRange(Bitrate(bitsPerSecond: 0))),
            ("queue=1.5kB", .malformedValue(.queue, "1.5kB")), ("queue=B", .malformedValue(.queue, "B")),
            ("queue=drain/61s", .durationOutOfRange(.queue, .seconds(61), maximum: .seconds(60))),
            ("queue=drain/", .invalidValue(.queue, .notANumber("", .duration))),
            ("queue=drain/64kB", .malformedValue(.queue, "drain/64kB")),
            ("headers=28B", .malformedValue(.headers, "28B")), ("headers=-1", .malformedValue(.headers, "-1")),
            ("headers=1001", .byteCountOutOfRange(.headers, 1001, minimum: 0, maximum: 1000)),
            ("headers=9999999999", .malformedValue(.headers, "9999999999")),
            ("cross=110k", .noBottleneck(.cross)), ("cubic=50ms", .noBottleneck(.cubic)),
            ("rate=1M,cross=2G", .invalidValue(.cross, .unknownUnit("G", in: "2G", .bitrate))),
            ("rate=1M,cross=1001M", .crossTrafficOutOfRange(.megabits(1001))),
            ("rate=1M,cross=0/999@1s", .crossTrafficOutOfRange(Bitrate(bitsPerSecond: 999))),
            ("rate=1M,cross=1k@1s", .malformedValue(.cross, "1k@1s")),
            ("rate=1M,cross=0/1k@2s/0@2s", .stepsNotRising(.seconds(2), .seconds(2), of: .cross)),
            ("cross-size=39", .byteCountOutOfRange(.crossSize, 39, minimum: 40, maximum: 65_535)),
            ("cubic=", .missingValue(.cubic)), ("cubic=50ms@", .invalidValue(.cubic, .notANumber("", .duration))),
            ("cubic=50ms@1s@2s", .malformedValue(.cubic, "50ms@1s@2s")),
            ("cubic=50ms@1s-2s-3s", .malformedValue(.cubic, "50ms@1s-2s-3s")),
            (
                "rate=1M,cubic=0.5ms",
                .durationOutOfRange(.cubic, .microseconds(500), minimum: .milliseconds(1), maximum: .seconds(60))
            ),
            (
                "rate=1M,cubic=50ms@2s-2s",
                .durationOutOfRange(
                    .cubic, .seconds(2), minimum: MediaDuration(nanoseconds: 2_000_000_001),
                    maximum: .seconds(1_000_000))
            ),
            ("rate=1M,cubic=1s/1s/1s/1s/1s/1s/1s/1s/1s/1s/1s/1s/1s/1s/1s/1s/1s", .tooManyFlows(17)),
            ("queue=999MB", .queueOutOfRange(byteCount: 999_000_000)),
        ] as [(String, LinkError)])
    func `It names the bad part`(text: String, error: LinkError) {
        #expect(throws: error) { try LinkSettings(notation: text) }
    }

    @Test func `It refuses settings out of range in code too`() {
        #expect(throws: LinkError.durationOutOfRange(.jitter, .milliseconds(-1), maximum: .seconds(60))) {
            try LinkSettings(jitter: .milliseconds(-1))
        }
        #expect(throws: LinkError.rateOutOfRange(.megabits(2_000_000))) {
            try LinkSettings(rate: RateSchedule(.megabits(2_000_000)))
        }
    }

    @Test func `Errors describe what was expected`() {
        #expect(
            LinkError.unknownSetting("lose=2%").description
                == "\"lose=2%\" is no setting of a link: expected loss, burst, blackout, delay, jitter, spikes,"
                + " wifi, order, reorder, reorder-delay, duplicate, duplicate-delay, corrupt, rate, trace, queue,"
                + " headers, cross, cross-size, cubic, seed")
        #expect(
            LinkError.missingValue(.jitter).description
                == "jitter has no value: expected something like jitter=10ms")
        #expect(
            LinkError.invalidValue(.loss, .unknownUnit("", in: "2", .percentage)).description
                == "loss: \"2\" has no unit: expected a percentage, like 2% or 0.5%")
        #expect(
            LinkError.rateOutOfRange(Bitrate(bitsPerSecond: 0)).description
                == "rate: 0 is outside 1k to 1000000M; leave it out for a link without a limit")
        #expect(
            LinkError.noBottleneck(.cubic).description
                == "cubic: the link has no bottleneck to share: expected rate or trace, too")
        #expect(
            LinkError.crossTrafficOutOfRange(.megabits(1001)).description
                == "cross: 1001M is neither 0 nor within 1k to 1000M")
        #expect(
            LinkError.stepsNotRising(.seconds(2), .seconds(1), of: .cross).description
                == "cross: the step at 1s follows the one at 2s: expected rising times, from above 0s")
        #expect(
            LinkError.malformedValue(.cubic, "x").description
                == "cubic: \"x\" is not ROUNDTRIP, ROUNDTRIP@START or ROUNDTRIP@START-END: expected something like cubic=50ms@10s"
        )
        #expect(LinkError.tooManyFlows(17).description == "cubic: 17 flows: expected at most 16")
        #expect(
            LinkError.byteCountOutOfRange(.headers, 1001, minimum: 0, maximum: 1000).description
                == "headers: 1001 bytes are outside 0 to 1000")
        #expect(
            LinkError.malformedValue(.burst, "5%").description
                == "burst: \"5%\" is not LOSS/LENGTH or P/R/LOSS-IN-BAD/LOSS-IN-GOOD: expected something like burst=5%/3"
        )
        #expect(
            LinkError.impossibleBurst(.gilbert(loss: .percent(90), length: 3)).description
                == "burst: no link loses 90%/3: the mean length is 1 to 10000, and between two bursts something gets"
                + " through, so that with mean length L at most L/(L+1) is lost")
    }

    @Test(arguments: LinkSettings.Name.allCases)
    func `It offers examples that it takes`(name: LinkSettings.Name) throws {
        let message = LinkError.missingValue(name).description
        let example = try #require(message.split(separator: " ").last)
        // A trace is a file, and this one is not there.
        let refusal = name == .trace ? LinkError.traceUnreadable("lte.up", code: 2) : nil
        do {
            // What shares a bottleneck needs one.
            _ = try LinkSettings(notation: [.cross, .cubic].contains(name) ? "rate=1M,\(example)" : String(example))
            #expect(refusal == nil)
        } catch {
            #expect(error == refusal, "\(error)")
        }
    }

    @Test(
        arguments: [
            whole, "burst=5%/3,seed=1", "burst=5%/2.5,seed=1", "burst=1%/25%/80%/0.1%,seed=1",
            "blackout=2s@30s,seed=1", "blackout=2s@30s+60s/250ms@0s,seed=1", "spikes=250ms/30s,seed=1",
            "wifi=2ms/500ms,seed=1", "order=by-delay,seed=1", "duplicate-delay=5ms,seed=1", "corrupt=0.1%,seed=1",
            "rate=2M/450k@40s/2M@80s,queue=3s,seed=1", "rate=2M/0@1s/2M@1.5s,queue=64kB,seed=1", "queue=1500B,seed=1",
            "queue=2MB,seed=1", "queue=0B,seed=1", "queue=drain/300ms,headers=28,seed=1", "seed=1",
            "rate=2M,cross=110k,cross-size=500,cubic=50ms/20ms@10s/30ms@0s-5s/1s@1.5s-60s,seed=1",
        ])
    func `It writes the notation that it read`(text: String) throws {
        #expect(try LinkSettings(notation: text).description == text)
    }

    @Test func `It reads back what it writes`() throws {
        var generator = SeededGenerator(seed: 1)
        func microseconds(_ range: ClosedRange<Int>) -> MediaDuration {
            .microseconds(.random(in: range, using: &generator))
        }
        func duration() -> MediaDuration { microseconds(0...60_000_000) }
        func share() -> Percentage { Percentage(partsPerMillion: Int.random(in: 0...1_000_000, using: &generator)) }
        func maybe<Value>(_ value: () throws -> Value) rethrows -> Value? {
            try Bool.random(using: &generator) ? value() : nil
        }
        func burst() -> BurstLoss {
            if Bool.random(using: &generator) {
                return .gilbertElliott(goodToBad: share(), badToGood: share(), lossInBad: share(), lossInGood: share())
            }
            let length = BurstLoss.MeanLength(thousandths: Int.random(in: 1000...10_000_000, using: &generator))
            return .gilbert(
                loss: Percentage(partsPerMillion: Int.random(in: 0...500_000, using: &generator)), length: length)
        }
        func blackout() -> Blackout {
            let length = microseconds(1...60_000_000)
            return Blackout(
                length, at: .zero + duration(), every: maybe { length + microseconds(1...1_000_000_000) })
        }
        func wifi() -> WiFiAccess {
            let least = microseconds(1...60_000_000)
            return WiFiAccess(minimum: least, maximum: max(least, duration()))
        }
        func rate() throws -> RateSchedule {
            var time = MediaTime.zero
            func rate() -> Bitrate { Bitrate(bitsPerSecond: Int.random(in: 1000...10_000_000, using: &generator)) }
            let later = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                time += microseconds(1...60_000_000)
                return RateSchedule.Step(rate(), from: time)
            }
            return try RateSchedule(rate(), then: later)
        }
        func flow() -> CUBICFlow {
            let start = MediaTime.zero + duration()
            return CUBICFlow(
                roundTrip: microseconds(1000...60_000_000), from: start, until: maybe { start + microseconds(1...9999) }
            )
        }
        for _ in 0..<5000 {
            let schedule = try maybe(rate)
            let settings = try LinkSettings(
                loss: share(), burst: maybe(burst),
                blackouts: (0..<Int.random(in: 0...3, using: &generator)).map { _ in blackout() },
                delay: duration(), jitter: duration(),
                spikes: maybe { DelaySpikes(height: duration(), interval: microseconds(10_000...1_000_000_000)) },
                wifi: maybe(wifi), order: maybe { .byDelay } ?? .kept, reorder: share(), reorderDelay: duration(),
                duplicate: share(), duplicateDelay: duration(), corrupt: share(), rate: schedule,
                queueLimit: maybe {
                    maybe { .bytes(Int.random(in: 0...QueueLimit.maximumByteCount, using: &generator)) }
                        ?? maybe { .drain(duration()) } ?? .time(duration())
                }, headerByteCount: Int.random(in: 0...1000, using: &generator),
                crossTraffic: schedule == nil ? nil : maybe(rate),
                crossPacketByteCount: Int.random(in: 40...65_535, using: &generator),
                cubicFlows: schedule == nil ? [] : (0..<Int.random(in: 0...3, using: &generator)).map { _ in flow() },
                seed: generator.next())
            #expect(try LinkSettings(notation: settings.description) == settings, "\(settings)")
        }
    }

    @Test func `It never traps on any text`() throws {
        var generator = SeededGenerator(seed: 2)
        let seeds = [
            LinkSettingsTests.whole, "loss=2%", "reorder-delay=40ms,queue=300ms",
            "rate=1500k,seed=18446744073709551615", "burst=5%/3,spikes=250ms/30s,wifi=2ms/500ms",
            "blackout=2s@30s+60s/250ms@0s", "rate=2M/450k@40s/0@80s/2M@90s,queue=64kB",
            "burst=1%/25%/80%/0.1%,order=kept", "rate=2M,queue=drain/300ms,headers=28",
            "rate=2M,cross=0/110k@10s/0@20s,cross-size=1200,cubic=50ms/20ms@10s-40s",
        ]
        let alphabet = Array("0123456789.,=%/@+kMBmsuner-losdayitqp é\u{0}")
        var accepted = 0
        for round in 0..<100_000 {
            var text = Array(seeds[round % seeds.count])
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                let position = Int.random(in: 0..<text.count, using: &generator)
                switch Int.random(in: 0...3, using: &generator) {
                case 0: text.insert(alphabet.randomElement(using: &generator)!, at: position)
                case 1 where text.count > 1: text.remove(at: position)
                case 2: text[position] = alphabet.randomElement(using: &generator)!
                default: text.append(contentsOf: text[position...])
                }
            }
            let mutated = String(text)
            do {
                let settings = try LinkSettings(notation: mutated)
                accepted += 1
                #expect(settings.delay <= LinkSettings.maximumDuration && settings.jitter >= .zero, "\(mutated)")
                if round % 100 == 0 { #expect(try LinkSettings(notation: settings.description) == settings) }
            } catch {
                #expect(!error.description.isEmpty, "\(mutated)")
            }
        }
        #expect((2000...60_000).contains(accepted), "\(accepted) of 100000 mutated texts were accepted")
    }
}

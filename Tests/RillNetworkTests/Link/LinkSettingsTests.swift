import RillCore
import RillNetwork
import Testing

@Suite struct LinkSettingsTests {
    static let whole = "loss=2%,delay=40ms,jitter=10ms,reorder=1%,duplicate=0.5%,rate=2M,seed=7"

    @Test func readsTheCommandLine() throws {
        let settings = try LinkSettings(notation: LinkSettingsTests.whole)
        let expected = try LinkSettings(
            loss: .percent(2), delay: .milliseconds(40), jitter: .milliseconds(10), reorder: .percent(1),
            duplicate: Percentage(partsPerMillion: 5000), rate: RateSchedule(.megabits(2)), seed: 7)
        #expect(settings == expected)
        #expect(settings.reorderDelay == .milliseconds(40) && settings.queueLimit == nil)
    }

    @Test func takesSettingsInAnyOrderAndNoneAtAll() throws {
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
            ("delay=61s", .durationOutOfRange(.delay, .seconds(61), most: .seconds(60))),
            ("reorder-delay=61s", .durationOutOfRange(.reorderDelay, .seconds(61), most: .seconds(60))),
            ("queue=61s", .durationOutOfRange(.queue, .seconds(61), most: .seconds(60))),
        ] as [(String, NetworkError)])
    func namesTheBadPart(text: String, error: NetworkError) {
        #expect(throws: error) { try LinkSettings(notation: text) }
    }

    @Test func refusesSettingsOutOfRangeInCodeToo() {
        #expect(throws: NetworkError.durationOutOfRange(.jitter, .milliseconds(-1), most: .seconds(60))) {
            try LinkSettings(jitter: .milliseconds(-1))
        }
        #expect(throws: NetworkError.rateOutOfRange(.megabits(2_000_000))) {
            try LinkSettings(rate: RateSchedule(.megabits(2_000_000)))
        }
    }

    @Test func saysWhatWasExpected() {
        #expect(
            NetworkError.unknownSetting("lose=2%").description
                == "\"lose=2%\" is no setting of a link: expected loss, burst, blackout, delay, jitter, spikes,"
                + " wifi, order, reorder, reorder-delay, duplicate, duplicate-delay, corrupt, rate, trace, queue, seed")
        #expect(
            NetworkError.missingValue(.jitter).description
                == "jitter has no value: expected something like jitter=10ms")
        #expect(
            NetworkError.invalidValue(.loss, .unknownUnit("", in: "2", .percentage)).description
                == "loss: \"2\" has no unit: expected a percentage, like 2% or 0.5%")
        #expect(
            NetworkError.rateOutOfRange(Bitrate(bitsPerSecond: 0)).description
                == "rate: 0 is outside 1k to 1000000M; leave it out for a link without a limit")
    }

    @Test(arguments: LinkSettings.Name.allCases)
    func offersExamplesThatItTakes(name: LinkSettings.Name) throws {
        let message = NetworkError.missingValue(name).description
        let example = try #require(message.split(separator: " ").last)
        // A trace is a file, and this one is not there.
        let refusal = name == .trace ? NetworkError.traceUnreadable("lte.up", code: 2) : nil
        do {
            _ = try LinkSettings(notation: example)
            #expect(refusal == nil)
        } catch {
            #expect(error == refusal, "\(error)")
        }
    }

    @Test func readsBackWhatItWrites() throws {
        #expect(try LinkSettings(notation: LinkSettingsTests.whole).description == LinkSettingsTests.whole)
        #expect(LinkSettings.clean.description == "seed=1")
        var generator = SeededGenerator(seed: 1)
        func duration() -> MediaDuration { .microseconds(Int.random(in: 0...60_000_000, using: &generator)) }
        func share() -> Percentage { Percentage(partsPerMillion: Int.random(in: 0...1_000_000, using: &generator)) }
        for _ in 0..<5000 {
            let settings = try LinkSettings(
                loss: share(), delay: duration(), jitter: duration(), reorder: share(), reorderDelay: duration(),
                duplicate: share(), rate: Bool.random(using: &generator) ? RateSchedule(.kilobits(1)) : nil,
                queueLimit: Bool.random(using: &generator) ? .time(duration()) : nil, seed: generator.next())
            #expect(try LinkSettings(notation: settings.description) == settings, "\(settings)")
        }
    }

    @Test func neverTrapsOnAnyText() throws {
        var generator = SeededGenerator(seed: 2)
        let seeds = [
            LinkSettingsTests.whole, "loss=2%", "reorder-delay=40ms,queue=300ms",
            "rate=1500k,seed=18446744073709551615",
        ]
        let alphabet = Array("0123456789.,=%kMmsuner-losdayitqp é\u{0}")
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

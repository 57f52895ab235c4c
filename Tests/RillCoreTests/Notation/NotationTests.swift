import RillCore
import Testing

@Suite struct NotationTests {
    @Test(arguments: [
        ("0", 0), ("45000", 45_000), ("45k", 45_000), ("45K", 45_000), ("1500k", 1_500_000), ("1.5M", 1_500_000),
        ("2M", 2_000_000),
        ("0.001k", 1), ("000000000000000800", 800), ("1000000M", 1_000_000_000_000),
    ])
    func `It reads bitrates`(text: String, bits: Int) throws {
        #expect(try Bitrate(notation: text).bitsPerSecond == bits)
    }

    @Test(arguments: [
        ("0", 0), ("0ms", 0), ("40ms", 40_000_000), ("1.5s", 1_500_000_000), ("250us", 250_000), ("7ns", 7),
        ("0.000000001s", 1), ("33.333333ms", 33_333_333), ("1000000s", 1_000_000_000_000_000),
        ("10min", 600_000_000_000), ("1.5min", 90_000_000_000),
    ])
    func `It reads durations`(text: String, nanoseconds: Int64) throws {
        #expect(try MediaDuration(notation: text).nanoseconds == nanoseconds)
    }

    @Test(arguments: [("0", 0), ("2%", 20_000), ("0.5%", 5000), ("0.0001%", 1), ("100%", 1_000_000)])
    func `It reads percentages`(text: String, partsPerMillion: Int) throws {
        #expect(try Percentage(notation: text).partsPerMillion == partsPerMillion)
    }

    @Test(
        arguments: [
            ("", .notANumber("", .bitrate)), ("k", .notANumber("k", .bitrate)), ("-1k", .notANumber("-1k", .bitrate)),
            ("1.", .notANumber("1.", .bitrate)), (".5M", .notANumber(".5M", .bitrate)),
            ("1234567890123456789", .notANumber("1234567890123456789", .bitrate)),
            ("1 M", .unknownUnit(" M", in: "1 M", .bitrate)), ("1G", .unknownUnit("G", in: "1G", .bitrate)),
            ("1.2.3", .unknownUnit(".3", in: "1.2.3", .bitrate)), ("1e6", .unknownUnit("e6", in: "1e6", .bitrate)),
            ("1.5", .tooFine("1.5", .bitrate)), ("1.0001k", .tooFine("1.0001k", .bitrate)),
            ("1000001M", .tooLarge("1000001M", .bitrate)),
            ("999999999999999999M", .tooLarge("999999999999999999M", .bitrate)),
        ] as [(String, NotationError)])
    func `It refuses text that is not a bitrate`(text: String, error: NotationError) {
        #expect(throws: error) { try Bitrate(notation: text) }
    }

    @Test(
        arguments: [
            ("40", .unknownUnit("", in: "40", .duration)), ("40m", .unknownUnit("m", in: "40m", .duration)),
            ("20000min", .tooLarge("20000min", .duration)),
            ("0.5ns", .tooFine("0.5ns", .duration)), ("1000001s", .tooLarge("1000001s", .duration)),
            ("ms", .notANumber("ms", .duration)), ("٤ms", .notANumber("٤ms", .duration)),
        ] as [(String, NotationError)])
    func `It refuses text that is not a duration`(text: String, error: NotationError) {
        #expect(throws: error) { try MediaDuration(notation: text) }
    }

    @Test(
        arguments: [
            ("2", .unknownUnit("", in: "2", .percentage)), ("101%", .tooLarge("101%", .percentage)),
            ("0.00001%", .tooFine("0.00001%", .percentage)), ("%", .notANumber("%", .percentage)),
        ] as [(String, NotationError)])
    func `It refuses text that is not a percentage`(text: String, error: NotationError) {
        #expect(throws: error) { try Percentage(notation: text) }
    }

    @Test func `Errors show the text and what was expected`() {
        #expect(
            NotationError.unknownUnit("K", in: "1K", .bitrate).description
                == "\"K\" in \"1K\" is not a unit: expected bits per second, like 1500k, 2M or 45000")
        #expect(
            NotationError.unknownUnit("", in: "40", .duration).description
                == "\"40\" has no unit: expected a duration, like 40ms, 1.5s or 250us")
        #expect(NotationError.tooLarge("2000000s", .duration).description.hasSuffix("the most is 1000000s"))
    }

    @Test func `It reads back what it writes`() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            // Every magnitude is as likely as every other one.
            let number = Int64(generator.next() >> UInt64.random(in: 15...63, using: &generator))
            let bitrate = Bitrate(bitsPerSecond: Int(number % 1_000_000_000_001))
            #expect(try Bitrate(notation: bitrate.description) == bitrate)
            let duration = MediaDuration(nanoseconds: number % 1_000_000_000_000_001)
            #expect(try MediaDuration(notation: duration.notation) == duration)
            let percentage = Percentage(partsPerMillion: Int(number % 1_000_001))
            #expect(try Percentage(notation: percentage.description) == percentage)
        }
    }

    @Test(
        arguments: [
            (0, "0s"), (1, "1ns"), (250_000, "250us"), (40_000_000, "40ms"), (1_500_000_000, "1.5s"),
            (1_000_000_001, "1000000.001us"), (1_234_567, "1234.567us"), (-40_000_000, "-40ms"),
            (Int64.min, "-9223372036854775.808us"),
        ] as [(Int64, String)])
    func `It writes durations exactly`(nanoseconds: Int64, text: String) {
        #expect(MediaDuration(nanoseconds: nanoseconds).notation == text)
    }

    @Test func `It draws at the asked probability`() {
        for percentage in [Percentage.zero, .percent(2), .percent(50), .all] {
            var generator = SeededGenerator(seed: 3)
            let count = (0..<100_000).count { _ in percentage.draw(using: &generator) }
            let deviation = (100_000 * percentage.fraction * (1 - percentage.fraction)).squareRoot()
            #expect(abs(Double(count) - 100_000 * percentage.fraction) <= 4 * deviation, "\(percentage): \(count)")
        }
    }

    @Test func `It never traps on any text`() {
        var generator = SeededGenerator(seed: 2)
        let seeds = ["1500k", "1.5M", "40ms", "0.25us", "33.333333ms", "0.5%", "1000000s", "123456789012345678ns"]
        let alphabet = Array("0123456789.kMmsun%-+ e,\u{0}é٤")
        var accepted = 0
        for round in 0..<100_000 {
            var text = Array(seeds[round % seeds.count])
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                let position = Int.random(in: 0...text.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: text.insert(alphabet.randomElement(using: &generator)!, at: position)
                case 1 where position < text.count: text.remove(at: position)
                case 2 where position < text.count: text[position] = alphabet.randomElement(using: &generator)!
                default: text.append(contentsOf: text)
                }
            }
            let mutated = String(text)
            do {
                switch round % 3 {
                case 0: accepted += try Bitrate(notation: mutated).bitsPerSecond <= 1_000_000_000_000 ? 1 : 0
                case 1: accepted += try MediaDuration(notation: mutated) <= .seconds(1_000_000) ? 1 : 0
                default: accepted += try Percentage(notation: mutated) <= .all ? 1 : 0
                }
            } catch {
                // Any refusal will do, as long as it can say why.
                #expect(!error.description.isEmpty, "\(mutated)")
            }
        }
        #expect((5000...60_000).contains(accepted), "\(accepted) of 100000 mutated texts were accepted")
    }
}

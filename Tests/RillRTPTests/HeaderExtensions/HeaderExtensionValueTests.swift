import RillCore
import RillRTP
import Testing

@Suite struct HeaderExtensionValueTests {
    private func bytes(of value: some HeaderExtensionValue) -> [UInt8] {
        written(value.byteCount) { output in value.write(into: &output) }
    }

    private func expectLengths<Value: HeaderExtensionValue>(_ type: Value.Type, _ allowed: ClosedRange<Int>) {
        for count in 0...40 {
            let data = [UInt8](repeating: 0, count: count)
            if allowed.contains(count) {
                #expect(throws: Never.self, "\(type) of \(count)") { _ = try Value(parsing: data.span) }
            } else {
                #expect(throws: RTPError.invalidExtension(byteCount: count), "\(type) of \(count)") {
                    _ = try Value(parsing: data.span)
                }
            }
        }
    }

    @Test func `Each kind has its length`() {
        expectLengths(AbsoluteSendTime.self, 3...3)
        expectLengths(TransportSequenceNumber.self, 2...2)
        expectLengths(StreamIdentifier.self, 1...16)
        expectLengths(VideoOrientation.self, 1...1)
        expectLengths(PlayoutDelay.self, 3...3)
        expectLengths(AudioLevel.self, 1...1)
    }

    @Test func `A level has seven bits below the voice flag`() throws {
        for byte in 0...255 as ClosedRange<UInt8> {
            let level = try AudioLevel(parsing: [byte].span)
            #expect(level.attenuation == byte & 0x7F && level.isVoice == (byte >= 128))
            #expect(bytes(of: level) == [byte])
        }
        #expect(AudioLevel(attenuation: 200, isVoice: false) == .silence)
    }

    @Test func `A send time has 18 bits of fraction and wraps after 64 seconds`() throws {
        // 5.25 s and 69.25 s after the beginning of the era.
        let time = AbsoluteSendTime(NTPTimestamp(seconds: 5, fraction: 0x4000_0000))
        #expect(time.rawValue == 5 << 18 | 1 << 16)
        #expect(bytes(of: time) == [0x15, 0x00, 0x00])
        #expect(AbsoluteSendTime(NTPTimestamp(seconds: 69, fraction: 0x4000_0000)) == time)
        #expect(try AbsoluteSendTime(parsing: [0x15, 0, 0].span) == time)
        #expect(AbsoluteSendTime(rawValue: .max).rawValue == 0xFF_FFFF)

        let late = AbsoluteSendTime(NTPTimestamp(seconds: 63, fraction: 0xC000_0000))
        let next = AbsoluteSendTime(NTPTimestamp(seconds: 64, fraction: 0x4000_0000))
        #expect(next.nanoseconds(since: late) == 500_000_000)
        #expect(late.nanoseconds(since: next) == -500_000_000)
    }

    @Test func `A transport-wide number is two bytes`() throws {
        for number in interestingStarts {
            let value = TransportSequenceNumber(SequenceNumber(number))
            #expect(bytes(of: value) == [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)])
            #expect(try TransportSequenceNumber(parsing: bytes(of: value).span) == value)
        }
    }

    @Test(arguments: 1...16)
    func `A stream name of any length round-trips`(count: Int) throws {
        let text = String("abcdefghijklmnop".prefix(count))
        let name = try #require(StreamIdentifier(text))
        #expect(bytes(of: name) == Array(text.utf8))
        #expect(try StreamIdentifier(parsing: Array(text.utf8).span) == name)
        #expect("\(name)" == text && name.byteCount == count)
    }

    @Test func `A stream's name is 1 to 16 bytes`() {
        #expect(StreamIdentifier("") == nil && StreamIdentifier("abcdefghijklmnopq") == nil)
        #expect(StreamIdentifier("ab") != StreamIdentifier("ab\0"))
    }

    @Test func `An orientation has the layout of TS 26 114`() throws {
        for rotation in VideoOrientation.Rotation.allCases {
            for isFlipped in [false, true] {
                for isBackCamera in [false, true] {
                    let value = VideoOrientation(rotation: rotation, isFlipped: isFlipped, isBackCamera: isBackCamera)
                    let byte = rotation.rawValue | (isFlipped ? 4 : 0) | (isBackCamera ? 8 : 0)
                    #expect(bytes(of: value) == [byte])
                    #expect(try VideoOrientation(parsing: [byte | 0xF0].span) == value)
                }
            }
        }
    }

    @Test(arguments: [(0, 0), (0, 4095), (1, 2), (4095, 4095), (0x123, 0x456)])
    func `Playout delays are twice twelve bits`(minimum: Int, maximum: Int) throws {
        let delay = try #require(PlayoutDelay(minimumSteps: minimum, maximumSteps: maximum))
        #expect(
            bytes(of: delay) == [
                UInt8(minimum >> 4), UInt8(minimum & 15) << 4 | UInt8(maximum >> 8), UInt8(maximum & 255),
            ])
        #expect(try PlayoutDelay(parsing: bytes(of: delay).span) == delay)
        #expect(delay.minimumMilliseconds == 10 * minimum && delay.maximumMilliseconds == 10 * maximum)
    }

    @Test func `A least delay above the greatest is refused`() {
        #expect(PlayoutDelay(minimumSteps: 2, maximumSteps: 1) == nil)
        #expect(PlayoutDelay(minimumSteps: -1, maximumSteps: 1) == nil)
        #expect(PlayoutDelay(minimumSteps: 0, maximumSteps: 4096) == nil)
        #expect(throws: RTPError.invalidPlayoutDelay(minimumSteps: 2, maximumSteps: 1)) {
            _ = try PlayoutDelay(parsing: [0x00, 0x20, 0x01].span)
        }
    }
}

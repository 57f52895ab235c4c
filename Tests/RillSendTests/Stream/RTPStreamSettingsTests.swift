import RillCore
import RillRTP
import RillSend
import Testing

@Suite struct RTPStreamSettingsTests {
    private func error(_ change: (inout RTPStreamSettings) -> Void) -> SendError? {
        var settings = sampleSettings()
        change(&settings)
        do throws(SendError) { _ = try RTPStreamSender(settings) } catch { return error }
        return nil
    }

    @Test func `The defaults and the ends of the ranges are valid`() {
        #expect(error { _ in } == nil)
        #expect(error { $0.maximumPacketByteCount = 64 } == nil)
        #expect(error { $0.maximumPacketByteCount = 9000 } == nil)
        #expect(error { $0.historyCapacity = 1 } == nil)
        #expect(error { $0.firstPictureID = 32767 } == nil)
        #expect(error { $0.temporalLayerCount = 4 } == nil)
        #expect(error { $0.canonicalName = String(repeating: "x", count: 255) } == nil)
    }

    @Test func `Values out of range are reported with their numbers`() {
        #expect(
            error { $0.maximumPacketByteCount = 63 }
                == .settingOutOfRange(.maximumPacketByteCount, value: 63, allowed: 64...9000))
        #expect(
            error { $0.maximumPacketByteCount = 9001 }
                == .settingOutOfRange(.maximumPacketByteCount, value: 9001, allowed: 64...9000))
        #expect(error { $0.historyCapacity = 0 } == .settingOutOfRange(.historyCapacity, value: 0, allowed: 1...32767))
        #expect(
            error { $0.firstPictureID = 32768 }
                == .settingOutOfRange(.firstPictureID, value: 32768, allowed: 0...32767))
        #expect(
            error { $0.temporalLayerCount = 5 } == .settingOutOfRange(.temporalLayerCount, value: 5, allowed: 1...4))
        #expect(error { $0.canonicalName = "" } == .settingOutOfRange(.canonicalName, value: 0, allowed: 1...255))
        #expect(
            error { $0.canonicalName = String(repeating: "é", count: 128) }
                == .settingOutOfRange(.canonicalName, value: 256, allowed: 1...255))
        #expect(
            error { $0.reportInterval = .zero }
                == .settingOutOfRange(.reportInterval, value: 0, allowed: 10...3_600_000))
        #expect(
            "\(SendError.settingOutOfRange(.maximumPacketByteCount, value: 63, allowed: 64...9000))"
                == "maximum packet size in bytes: 63 is not within 64 to 9000")
    }

    @Test func `Random first numbers follow from the generator and fit their bits`() {
        var generator = SeededGenerator(seed: 1)
        var again = SeededGenerator(seed: 1)
        var seen: Set<UInt32> = []
        for _ in 0..<1000 {
            let settings = RTPStreamSettings(payloadType: PayloadType(96), canonicalName: "a", using: &generator)
            let same = RTPStreamSettings(payloadType: PayloadType(96), canonicalName: "a", using: &again)
            #expect(settings.ssrc == same.ssrc && settings.timestampOffset == same.timestampOffset)
            #expect(settings.firstSequenceNumber == same.firstSequenceNumber)
            #expect(settings.firstSequenceNumber.rawValue < 32768 && settings.firstPictureID < 32768)
            seen.insert(settings.ssrc.rawValue)
        }
        #expect(seen.count == 1000)
    }
}

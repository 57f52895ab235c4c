import RillRTP
import Testing

@testable import RillSend

@Suite struct FullIntraRequestFilterTests {
    @Test func `A number that was noted is a repetition, of that requester alone`() {
        var filter = FullIntraRequestFilter()
        #expect(!filter.isRepetition(of: 0, from: SSRC(1)))
        filter.note(0, from: SSRC(1))
        #expect(filter.isRepetition(of: 0, from: SSRC(1)))
        #expect(!filter.isRepetition(of: 0, from: SSRC(2)))
        #expect(!filter.isRepetition(of: 1, from: SSRC(1)))
    }

    @Test func `Only the newest number of a requester counts, and it wraps`() {
        var filter = FullIntraRequestFilter()
        for number in [254, 255, 0, 1] as [UInt8] {
            #expect(!filter.isRepetition(of: number, from: SSRC(1)))
            filter.note(number, from: SSRC(1))
            #expect(filter.isRepetition(of: number, from: SSRC(1)))
        }
        #expect(!filter.isRepetition(of: 254, from: SSRC(1)))
    }

    @Test func `Of nine requesters the first is forgotten`() {
        var filter = FullIntraRequestFilter()
        for requester in 1...9 as ClosedRange<UInt32> { filter.note(7, from: SSRC(requester)) }
        #expect(!filter.isRepetition(of: 7, from: SSRC(1)))
        for requester in 2...9 as ClosedRange<UInt32> {
            #expect(filter.isRepetition(of: 7, from: SSRC(requester)), "requester \(requester)")
        }
    }
}

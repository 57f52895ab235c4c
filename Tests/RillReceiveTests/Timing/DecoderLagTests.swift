import RillCore
import RillPacketSupport
import RillRTP
import Testing

@testable import RillReceive

/// Who decodes too slowly sees something all the same; who does not sees what they saw before.
struct DecoderLagTests: ~Copyable {
    private var stream = SyntheticStream()
    private var buffer = JitterBuffer(
        JitterBufferSettings(payloadType: PayloadType(96), playoutDelay: .fixed(.milliseconds(100)), nack: nil))
    private var payload: [UInt8] = []

    /// Lets frames come, 30 a second, to one who takes `cost` to decode each.
    ///
    /// - Returns: when frames were shown, as decoding begins.
    private mutating func decode(
        frames: Int, cost: MediaDuration, arrival: (Int) -> MediaTime = MediaTime.frame
    ) -> [MediaTime] {
        var (now, next) = (MediaTime.zero, 0)
        var shown: [MediaTime] = []
        while now < arrival(frames) + cost * frames + .seconds(10) {
            while next < frames, arrival(next) <= now {
                for packet in stream.frame(isKey: next == 0, packets: 2).packets {
                    _ = buffer.insert(packet.span, at: arrival(next))
                }
                next += 1
            }
            switch buffer.poll(at: now, into: &payload) {
            case .frame:
                if buffer.releasedFrame.isShown { shown.append(now) }
                now += cost
            case .wait(let wake):
                guard next < frames || wake < .distantFuture else { return shown }
                now = next < frames ? min(wake, arrival(next)) : wake
            case .requestKeyFrame, .requestPackets:
                Issue.record("nothing was lost")
            }
        }
        Issue.record("decoding does not come to an end")
        return shown
    }

    /// The longest that nothing new was shown.
    private func longestStill(_ shown: [MediaTime]) -> MediaDuration {
        zip(shown.dropFirst(), shown).map { $0 - $1 }.max() ?? .zero
    }

    @Test(arguments: [40, 60, 250])
    mutating func `A decoder too slow for its stream shows two pictures a second`(cost: Int) {
        let cost = MediaDuration.milliseconds(cost)
        let shown = decode(frames: 300, cost: cost)
        #expect(longestStill(shown) <= DecoderLag.standstill + cost * 2, "\(longestStill(shown)) of \(cost)")
        // No more than that, except the first, before there was a queue.
        #expect(shown.count <= Int((cost * 300).milliseconds / DecoderLag.standstill.milliseconds) + 8)
        #expect(buffer.statistics.framesDecodedOnly == 300 - shown.count)
    }

    @Test mutating func `A decoder that keeps up shows every picture`() {
        #expect(decode(frames: 300, cost: .milliseconds(30)).count == 300)
    }

    /// Frames that the network delayed for two seconds are caught up with, and only those not yet due are shown.
    @Test mutating func `What the network held back is not the decoder's`() {
        let shown = decode(frames: 150, cost: .milliseconds(1)) { max(.frame($0), $0 < 60 ? .zero : .frame(120)) }
        // Frame 118 is due 33 ms after they all come, and decoded before.
        #expect(shown.count == 60 + (118..<150).count)
    }
}

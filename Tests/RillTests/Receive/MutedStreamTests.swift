import RillCore
import RillMediaSupport
import RillRTP
import RillReceive
import RillTestSupport
import Testing

@testable import Rill

/// A camera that is switched off, by signaling or RTCP: nothing is requested, and it is not a freeze.
@Suite struct MutedStreamTests {
    private static let settings = ReceiveSettings(
        jitterBuffer: JitterBufferSettings(ssrc: CodedClip.ssrc, payloadType: CodedClip.payloadType), ssrc: SSRC(1))

    /// The packets of the clip's frame `index` as they leave when the clip stands still for `pause` before frame 40.
    private func packets(_ clip: CodedClip, _ index: Int, pause: MediaDuration) -> (time: MediaTime, packets: [[UInt8]])
    {
        let extra = index < 40 ? .zero : pause
        return (
            clip.times[index] + extra,
            clip.packets[index].map { packet in
                var packet = packet
                let old = packet[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
                let new = old &+ UInt32(extra.milliseconds * 90)
                for byte in 0..<4 { packet[4 + byte] = UInt8(truncatingIfNeeded: new >> (24 - 8 * UInt32(byte))) }
                return packet
            }
        )
    }

    /// Who says that the camera is off.
    enum Teller: CaseIterable {
        case nobody, signalling, rtcp
    }

    /// PAUSED behind the last packet before frame `index` (RFC 7728).
    private func paused(_ clip: CodedClip, before index: Int) -> [UInt8] {
        let last = clip.packets[index - 1].last.map { UInt32($0[2]) << 8 | UInt32($0[3]) } ?? 0
        let entries = [PauseResume.Entry(target: CodedClip.ssrc, kind: .paused(last: last))]
        return [UInt8](capacity: 100) { output in
            ReceiverReport(ssrc: CodedClip.ssrc).write(into: &output)
            PauseResume(sender: CodedClip.ssrc, entries: entries.span).write(into: &output)
        }
    }

    @Test(arguments: Teller.allCases)
    func `A signaled pause is not a freeze`(teller: Teller) throws {
        let clip = try CodedClip()
        var feedback = 0
        let pipeline = try ReceivePipeline(
            Self.settings, sink: FrameTap { _ in }, feedback: PacketTap { _, _ in feedback += 1 })
        for index in 0..<80 {
            let (time, packets) = packets(clip, index, pause: .seconds(7))
            if index == 40, teller != .nobody {
                if teller == .rtcp {
                    pipeline.insert(paused(clip, before: 40).span, at: clip.times[39])
                } else {
                    pipeline.setMuted(true)
                }
                // Somebody sends a last picture after that.
                _ = try pipeline.poll(at: time - .seconds(4))
                if teller == .signalling { pipeline.setMuted(false) }
            }
            for packet in packets { pipeline.insert(packet.span, at: time) }
            _ = try pipeline.poll(at: time)
        }
        var now = clip.times[79] + .seconds(7)
        while !pipeline.isIdle { now = try pipeline.poll(at: now) }
        let freezes = pipeline.statistics.freezes
        #expect(freezes.framesRendered > 70)
        let count = teller == .nobody ? 1 : 0
        #expect(freezes.freezeCount == count && freezes.longGapCount == count && freezes.pauseCount == count)
    }

    @Test func `A picture during a mute does not make the rest a freeze`() throws {
        let clip = try CodedClip()
        let pipeline = try ReceivePipeline(Self.settings, sink: FrameTap { _ in }, feedback: PacketTap { _, _ in })
        for index in 0..<80 {
            if index == 39 { pipeline.setMuted(true) }
            if index == 40 { pipeline.setMuted(false) }
            let (time, packets) = packets(clip, index, pause: .seconds(7))
            for packet in packets { pipeline.insert(packet.span, at: time) }
            _ = try pipeline.poll(at: time)
        }
        #expect(pipeline.statistics.freezes.freezeCount == 0 && pipeline.statistics.freezes.longGapCount == 0)
    }
}

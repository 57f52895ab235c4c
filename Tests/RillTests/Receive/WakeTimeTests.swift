import RillCore
import RillMediaSupport
import RillRTP
import RillReceive
import RillTestSupport
import Testing

@testable import Rill

/// The thread that decodes is woken for what it can do something about.
struct WakeTimeTests {
    @Test func `Packets in the middle of a frame wake no thread`() throws {
        let clip = try CodedClip()
        let settings = JitterBufferSettings(ssrc: CodedClip.ssrc, payloadType: CodedClip.payloadType)
        let receiver = StreamReceiver(StreamReceiverSettings(jitterBuffer: settings, ssrc: SSRC(1)))
        let output = ReceiveOutput()
        var (payload, frameCount, wakeCount, middleCount): ([UInt8], Int, Int, Int) = ([], 0, 0, 0)
        func sleep(until end: MediaTime) {
            while receiver.wakeTime <= end {
                let now = receiver.wakeTime
                while case .decode = receiver.poll(at: now, into: &payload, output: output) { frameCount += 1 }
                output.deliver(to: PacketTap { _, _ in })
            }
        }
        var header = RTPHeader(
            marker: false, payloadType: CodedClip.payloadType, sequenceNumber: SequenceNumber(65_530),
            timestamp: RTPTimestamp(0), ssrc: CodedClip.ssrc)
        var count = 0
        for (frame, time) in zip(clip.frames, clip.times) {
            sleep(until: time)
            header.timestamp = RTPTimestamp(UInt32(truncatingIfNeeded: time.ticks(rate: 90_000)))
            let packets = Self.packets(of: frame, header)
            header.sequenceNumber = header.sequenceNumber.advanced(by: packets.count)
            count += packets.count
            for (index, packet) in packets.enumerated() {
                let before = receiver.wakeTime
                receiver.insert(packet.span, at: time)
                if receiver.wakeTime < before {
                    wakeCount += 1
                    // The first begins a frame, with the last it is whole.
                    #expect(index == 0 || index == packets.count - 1, "packet \(index) of \(packets.count)")
                } else {
                    middleCount += 1
                }
                sleep(until: time)
            }
        }
        sleep(until: try #require(clip.times.last) + .seconds(2))
        #expect(frameCount == clip.frames.count)
        #expect(wakeCount + middleCount == count && middleCount > count / 2, "\(middleCount) of \(count)")
    }

    /// A frame in small packets.
    private static func packets(of frame: [UInt8], _ header: RTPHeader) -> [[UInt8]] {
        let packetizer = VP8Packetizer(
            frameByteCount: frame.count, header: header, descriptor: VP8PayloadDescriptor(startsPartition: true),
            maximumPacketByteCount: 300)
        return (0..<packetizer.packetCount).map { index in
            [UInt8](capacity: packetizer.byteCount(ofPacket: index)) { output in
                packetizer.writePacket(index, of: frame.span, into: &output)
            }
        }
    }
}

import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import Testing

/// A stream whose sender goes over to another format that was agreed on.
struct CodecChangeTests {
    private var vp8 = SyntheticStream()
    private var vp9 = SyntheticVP9Stream()
    private var index = 0

    private static func receiver() -> VirtualReceiver {
        var settings = JitterBufferSettings(payloadType: PayloadType(96), playoutDelay: .fixed(.milliseconds(60)))
        settings.alternatives = [PayloadType(98): .vp9]
        return VirtualReceiver(settings)
    }

    private var now: MediaTime { .frame(index) + .milliseconds(20) }

    /// The packets of the next frame: both codecs share numbers and clock.
    private mutating func next(_ codec: VideoCodec, isKey: Bool = false, packets count: Int = 3) -> [[UInt8]] {
        index += 1
        if codec == .vp8 {
            let packets = vp8.frame(isKey: isKey, packets: count).packets
            (vp9.sequence, vp9.timestamp) = (vp8.sequence, vp8.timestamp)
            return packets
        }
        vp9.descriptor.references = FrameDistances(1)
        let packets = vp9.frame(isKey ? .key : .inter, packets: count).packets
        (vp8.sequence, vp8.timestamp) = (vp9.sequence, vp9.timestamp)
        return packets
    }

    private mutating func play(_ codec: VideoCodec, _ count: Int, to receiver: VirtualReceiver) {
        for number in 0..<count { insert(next(codec, isKey: number == 0), to: receiver) }
    }

    private func insert(_ packets: [[UInt8]], to receiver: VirtualReceiver) {
        for packet in packets { receiver.insert(packet, at: now) }
    }

    private func codecs(_ receiver: VirtualReceiver) -> [VideoCodec] {
        receiver.frames.map(\.received.frame.codec).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    @Test(arguments: [[VideoCodec.vp8, .vp9, .vp8], [.vp9, .vp8, .vp9, .vp8], [.vp8, .vp9, .vp9]])
    func `Frames follow from the new codec's key frame`(order: [VideoCodec]) {
        var test = self
        let receiver = Self.receiver()
        for codec in order { test.play(codec, 30, to: receiver) }
        receiver.pass(until: test.now + .milliseconds(100))
        let kinds = order.reduce(into: [VideoCodec]()) { if $0.last != $1 { $0.append($1) } }
        #expect(codecs(receiver) == kinds && receiver.nacks.isEmpty && receiver.requests.isEmpty)
        // What waited for its time when the other codec came is not shown: 60 ms.
        #expect(receiver.released.count >= 30 * order.count - 3 * (kinds.count - 1))
        #expect(receiver.statistics.packetsLost == 0)
    }

    @Test mutating func `The key frame's first packet may be retransmitted`() {
        let receiver = Self.receiver()
        play(.vp8, 30, to: receiver)
        let key = next(.vp9, isKey: true)
        insert(Array(key[1...]), to: receiver)
        #expect(receiver.nacks.map(\.packets) == [[UInt16(key[0][2]) << 8 | UInt16(key[0][3])]])
        receiver.insert(key[0], .retransmission, at: now + .milliseconds(15))
        for _ in 0..<10 { insert(next(.vp9), to: receiver) }
        receiver.pass(until: now + .milliseconds(100))
        #expect(receiver.requests.isEmpty && codecs(receiver) == [.vp8, .vp9])
        #expect(receiver.frames.count { $0.received.frame.codec == .vp9 } == 11)
    }

    @Test mutating func `Late packets of the former codec change nothing`() {
        let receiver = Self.receiver()
        play(.vp8, 30, to: receiver)
        let (last, key) = (next(.vp8), next(.vp9, isKey: true))
        insert([last[0]] + key[..<2], to: receiver)
        insert([last[2], last[1]], to: receiver)
        insert([key[2]], to: receiver)
        for _ in 0..<10 { insert(next(.vp9), to: receiver) }
        receiver.pass(until: now + .milliseconds(100))
        #expect(receiver.requests.isEmpty && codecs(receiver) == [.vp8, .vp9])
        #expect(receiver.frames.count { $0.received.frame.codec == .vp9 } == 11)
        // Both numbers are there: nothing more is asked for.
        #expect(receiver.statistics.packetsLost == 0 && receiver.nacks.count <= 1, "\(receiver.nacks)")
    }

    @Test mutating func `Padding with the other payload type changes nothing`() {
        let receiver = Self.receiver()
        play(.vp8, 30, to: receiver)
        for _ in 0..<20 {
            vp8.payloadType = PayloadType(98)
            receiver.insert(vp8.padding(), at: now)
            vp8.payloadType = PayloadType(96)
            insert(next(.vp8), to: receiver)
        }
        receiver.pass(until: now + .milliseconds(100))
        #expect(codecs(receiver) == [.vp8] && receiver.released.count == 50 && receiver.requests.isEmpty)
    }

    @Test mutating func `A change without a key frame asks for one`() {
        let receiver = Self.receiver()
        play(.vp8, 30, to: receiver)
        for _ in 0..<10 { insert(next(.vp9), to: receiver) }
        #expect(!receiver.requests.isEmpty)
        play(.vp9, 10, to: receiver)
        receiver.pass(until: now + .milliseconds(100))
        #expect(receiver.frames.count { $0.received.frame.codec == .vp9 } == 10)
    }

    @Test mutating func `Another codec with each packet costs neither memory nor a storm of requests`() {
        let receiver = Self.receiver()
        play(.vp8, 30, to: receiver)
        let start = index
        for number in 0..<3000 {
            insert(next(number % 2 == 0 ? .vp9 : .vp8, isKey: number % 7 == 0, packets: 1), to: receiver)
        }
        let seconds = (MediaTime.frame(index) - MediaTime.frame(start)).seconds
        #expect(receiver.buffer.occupancy.packets < 20 && Double(receiver.requests.count) <= seconds * 4)
        play(.vp8, 30, to: receiver)
        receiver.pass(until: now + .milliseconds(100))
        #expect(receiver.frames.suffix(28).allSatisfy { $0.received.frame.codec == .vp8 })
    }
}

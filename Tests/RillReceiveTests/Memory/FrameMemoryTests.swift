import RillCore
import RillPacketSupport
import RillRTP
import Testing

@testable import RillReceive

@Suite struct FrameMemoryTests {
    private func bytes(_ number: Int, count: Int = 5) -> [UInt8] { (0..<count).map { UInt8(16 * number + $0) } }

    @Test func `A frame is returned in exchange for an array`() {
        var memory = FrameMemory()
        var output: [UInt8] = [1, 2, 3]
        let (first, second) = (bytes(1), bytes(2))
        for _ in 0..<3 {
            guard let place = memory.begin(first.span) else {
                Issue.record("no array is free")
                return
            }
            memory.append(second.span, at: place)
            let count = memory.byteCount(at: place)
            #expect(count == 10)
            memory.exchange(place, for: &output)
            #expect(output == first + second)
        }
    }

    @Test func `Who keeps a frame keeps its bytes`() {
        var memory = FrameMemory()
        var (output, kept): ([UInt8], [[UInt8]]) = ([], [])
        for number in 0..<10 {
            let frame = bytes(number)
            if let place = memory.begin(frame.span) { memory.exchange(place, for: &output) }
            kept.append(output)
        }
        #expect(kept == (0..<10).map { bytes($0) })
    }

    @Test func `Arrays are few and come back`() {
        var memory = FrameMemory()
        let frame = bytes(1)
        let places = (0..<9).map { _ in memory.begin(frame.span) }
        #expect(places == [0, 1, 2, 3, 4, 5, 6, 7, nil])
        memory.release(5)
        memory.release(2)
        let again = (0..<3).map { _ in memory.begin(frame.span) }
        #expect(again == [2, 5, nil])
    }

    /// More frames wait than there are arrays, and packets overtake each other, come twice, or much later.
    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `Frames are complete, wherever their packets were`(seed: UInt64) {
        var stream = SyntheticStream()
        let receiver = VirtualReceiver(
            JitterBufferSettings(payloadType: PayloadType(96), playoutDelay: .fixed(.seconds(2)), nack: nil))
        let frames = stream.frames(60, packets: 4)
        var generator = SeededGenerator(seed: seed)
        var arrivals: [(time: MediaTime, packet: [UInt8])] = []
        for (index, frame) in frames.enumerated() {
            for packet in frame.packets {
                let lateness = index > 0 && generator.next() % 8 == 0 ? Int(generator.next() % 100) : 0
                arrivals.append((.frame(index) + .milliseconds(lateness), packet))
                if generator.next() % 16 == 0 { arrivals.append((.frame(index) + .milliseconds(50), packet)) }
            }
        }
        receiver.play(arrivals, until: .frame(58))
        let held = receiver.buffer.occupancy
        let released = receiver.frames.count
        #expect(held.packets <= (60 - released) * 4 && held.packets > 180, "\(held), \(released) released")
        receiver.play([], until: .seconds(6))
        #expect(receiver.frames.map(\.bytes) == frames.map(\.bytes))
        let left = receiver.buffer.occupancy
        #expect(left.packets == 0 && left.frames == 0)
        #expect(freeArrays(of: receiver) == 8)
    }

    @Test func `Frames that are dropped give their arrays back`() {
        var stream = SyntheticStream()
        let receiver = VirtualReceiver(
            JitterBufferSettings(
                payloadType: PayloadType(96), playoutDelay: .fixed(.seconds(2)), nack: nil, packetCapacity: 64))
        // Nothing can be decoded before the key frame, and the ring overflows twice over.
        for index in 0..<40 {
            for packet in stream.frame(packets: 4).packets { receiver.insert(packet, at: .frame(index)) }
        }
        let key = stream.frame(isKey: true, packets: 4)
        for packet in key.packets { receiver.insert(packet, at: .frame(40)) }
        #expect(receiver.buffer.occupancy.packets <= 64 && receiver.statistics.drops.overflow >= 24)
        receiver.pass(until: .seconds(6))
        #expect(receiver.frames.map(\.bytes) == [key.bytes])
        #expect(receiver.buffer.occupancy.packets == 0)
        #expect(freeArrays(of: receiver) == 8)
    }

    /// How many arrays no frame lies in; afterwards none is left.
    private func freeArrays(of receiver: VirtualReceiver) -> Int {
        let frame = bytes(1)
        var count = 0
        while receiver.buffer.packets.storeFirst(frame.span, as: 1 << 40) != nil { count += 1 }
        return count
    }
}

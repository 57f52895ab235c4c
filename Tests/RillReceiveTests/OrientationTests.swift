import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import Testing

/// What a stream tells of the orientation of its pictures.
@Suite struct OrientationTests {
    private var stream = SyntheticStream()

    private func receiver(id: UInt8? = 4) throws -> VirtualReceiver {
        var settings = JitterBufferSettings(payloadType: PayloadType(96))
        if let id { try settings.headerExtensions.set(.videoOrientation, id: id) }
        return VirtualReceiver(settings)
    }

    /// The frames that the stream makes of what they tell, `nil` for nothing; the first is a key frame.
    private mutating func frames(telling values: [UInt8?], id: UInt8 = 4) -> [SyntheticStream.Frame] {
        values.enumerated().map { index, value in
            stream.orientation = value.map { (id, [$0]) }
            return stream.frame(isKey: index == 0, packets: 2)
        }
    }

    private func rotations(_ receiver: VirtualReceiver) -> [Int] {
        receiver.pass(until: .seconds(2))
        return receiver.frames.map { $0.received.frame.rotation.degrees }
    }

    @Test(arguments: [4, 15, 255] as [UInt8])
    mutating func `It holds until the stream says otherwise`(id: UInt8) throws {
        let receiver = try receiver(id: id)
        // The camera and flip bits, and those above them, change nothing.
        let told = frames(telling: [nil, 1, nil, nil, 0xFF, nil, 0x0C, nil, 2], id: id)
        for (index, frame) in told.enumerated() { receiver.insert(frame, at: .frame(index)) }
        #expect(rotations(receiver) == [0, 90, 90, 90, 270, 270, 0, 0, 180])
    }

    @Test mutating func `Packets may come in any order`() throws {
        let receiver = try receiver()
        for (index, frame) in frames(telling: [0, 1, nil, 2, nil]).enumerated() {
            for packet in frame.packets.reversed() { receiver.insert(packet, at: .frame(index)) }
        }
        #expect(rotations(receiver) == [0, 90, 90, 180, 180])
    }

    @Test mutating func `The orientation of a dropped frame applies to the following ones`() throws {
        let receiver = try receiver()
        var told = frames(telling: [0, 1, nil])
        stream.orientation = nil
        told.append(stream.frame(isKey: true))
        receiver.insert(told[0], at: .frame(0))
        // The last packet alone, which tells it.
        receiver.insert(told[1].packets[1], at: .frame(1))
        receiver.insert(told[2], at: .frame(2))
        receiver.insert(told[3], at: .frame(10))
        #expect(rotations(receiver) == [0, 90])
        #expect(receiver.released == [100, 103])
    }

    @Test mutating func `Unreadable orientations are ignored, and cost no frame`() throws {
        let receiver = try receiver()
        stream.orientation = (4, [1])
        let first = stream.frame(isKey: true)
        stream.orientation = (4, [1, 2])
        let long = stream.frame()
        stream.orientation = (5, [2])
        let other = stream.frame()
        stream.orientation = (4, [3])
        var cut = stream.frame()
        // The one-byte element claims more bytes than the block has.
        cut.packets[0][16] |= 0x0F
        for (index, frame) in [first, long, other, cut].enumerated() { receiver.insert(frame, at: .frame(index)) }
        #expect(rotations(receiver) == [90, 90, 90, 90])
    }

    @Test mutating func `Without a negotiated extension nothing is read`() throws {
        let receiver = try receiver(id: nil)
        for (index, frame) in frames(telling: [1, 2]).enumerated() { receiver.insert(frame, at: .frame(index)) }
        #expect(rotations(receiver) == [0, 0])
    }
}

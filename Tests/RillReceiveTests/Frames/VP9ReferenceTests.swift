import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import Testing

/// References as VP9's packets or its scalability structure tell them (RFC 9628 §4.2), as they leave the jitter buffer.
@Suite struct VP9ReferenceTests {
    private var stream = SyntheticVP9Stream()
    private let receiver = VirtualReceiver(
        JitterBufferSettings(
            payloadType: PayloadType(98), codec: .vp9, playoutDelay: .fixed(.milliseconds(100)), nack: nil))
    private var count = 0

    static let starts: [UInt16] = [0, 1, 120, 127, 128, 32640, 32766, 32767]

    /// The next frame; inserted unless it is lost.
    private mutating func frame(_ kind: SyntheticVP9Stream.Kind = .inter, isLost: Bool = false) {
        let frame = stream.frame(kind, packets: 1 + count % 2)
        if !isLost { for packet in frame.packets { receiver.insert(packet, at: .frame(count)) } }
        count += 1
    }

    /// The next frame, which names those that it refers to by how far back they lie.
    private mutating func frame(to distances: UInt8..., isLost: Bool = false) {
        stream.descriptor.references = FrameDistances()
        for distance in distances { stream.descriptor.references.append(distance) }
        frame(isLost: isLost)
    }

    private func finish() {
        receiver.pass(until: .frame(count) + .seconds(1))
    }

    // MARK: Flexible mode

    @Test mutating func `A frame refers to those that it names`() {
        frame(.key)
        frame(to: 1)
        frame(to: 2, 1)
        frame(to: 3)
        frame(to: 1, 2, 4)
        finish()
        #expect(receiver.frames.map(\.references) == [[], [100], [100, 101], [100], [103, 102, 100]])
        #expect(receiver.shown == Array(100..<105) && receiver.requests.isEmpty)
    }

    @Test mutating func `A lost frame that nothing refers to stops nothing`() {
        stream.descriptor.layer = .init(temporalIndex: 0)
        frame(.key)
        for index in 1..<40 {
            // L1T2: the upper frames are referred to by none.
            stream.descriptor.layer = .init(temporalIndex: UInt8(index % 2))
            if index % 2 == 0 { frame(to: 2) } else { frame(to: 1, isLost: index % 4 == 1) }
        }
        finish()
        #expect(receiver.released == (100..<140).filter { ($0 - 100) % 4 != 1 })
        #expect(receiver.requests.isEmpty)
        #expect(receiver.statistics.drops.total == 0)
    }

    @Test(arguments: [true, false])
    mutating func `A frame after a lost one is released if it does not refer to it`(isWholeLost: Bool) {
        frame(.key)
        frame(to: 1)
        // One that only the upper layer's next frame refers to.
        stream.descriptor.layer = .init(temporalIndex: 1)
        let lost = stream.frame(.inter, packets: 2)
        if !isWholeLost { receiver.insert(lost.packets[0], at: .frame(count)) }
        count += 1
        stream.descriptor.layer = .init(temporalIndex: 0)
        frame(to: 2)
        stream.descriptor.layer = .init(temporalIndex: 1)
        frame(to: 2)
        stream.descriptor.layer = .init(temporalIndex: 0)
        frame(to: 2)
        finish()
        #expect(receiver.released == [100, 101, 103, 105])
        #expect(receiver.frames.map(\.references) == [[], [100], [101], [103]])
        #expect(receiver.requests.isEmpty)
    }

    @Test mutating func `A lost frame that the next one needs breaks the chain`() {
        frame(.key)
        frame(to: 1, isLost: true)
        frame(to: 1)
        frame(to: 1)
        finish()
        #expect(receiver.released == [100])
        #expect(receiver.requests.first == .frame(2) + .milliseconds(100))
    }

    @Test(arguments: starts)
    mutating func `Named references reach over the wrap of picture IDs`(start: UInt16) {
        for isLong in [true, false] {
            count = 0
            stream = SyntheticVP9Stream()
            stream.descriptor.pictureID = isLong ? .long(start) : .short(UInt8(start & 0x7F))
            let receiver = VirtualReceiver(receiver.buffer.settings)
            for index in 0..<300 {
                // Every seventh frame is lost, and the next one refers to the one before it.
                stream.descriptor.references = FrameDistances(index % 7 == 4 ? 2 : 1)
                stream.descriptor.layer = .init(temporalIndex: index % 7 == 3 ? 1 : 0)
                let frame = stream.frame(index == 0 ? .key : .inter)
                if index % 7 != 3 { receiver.insert(frame.packets[0], at: .frame(index)) }
            }
            receiver.pass(until: .seconds(20))
            #expect(receiver.frames.count == 300 - 43, "from \(start), long: \(isLong)")
            #expect(receiver.requests.isEmpty, "from \(start), long: \(isLong)")
            let first = Int64(isLong ? start & 0x7FFF : start & 0x7F)
            #expect(receiver.released == (0..<300).filter { $0 % 7 != 3 }.map { first + $0 })
        }
    }

    @Test mutating func `An intra only frame needs no other`() {
        frame(.key)
        frame(to: 1, isLost: true)
        frame(.intraOnly)
        frame(to: 1)
        finish()
        // Decodable, though it is not a key frame; never shown by itself.
        #expect(receiver.released == [100, 102, 103])
        #expect(receiver.frames.map { $0.received.isShown } == [true, false, true])
        #expect(receiver.frames.map { $0.received.frame.isKey } == [true, false, false])
    }

    @Test mutating func `A stream does not start with an intra only frame`() {
        frame(.intraOnly)
        frame(to: 1)
        finish()
        #expect(receiver.released.isEmpty)
        #expect(receiver.requests.count >= 1)
    }

    @Test mutating func `References from before a key frame are none`() {
        frame(.key)
        frame(to: 1)
        frame(.key)
        // As a group's first frames do.
        frame(to: 1, 3)
        finish()
        #expect(receiver.frames.map(\.references) == [[], [100], [], [102]])
    }

    @Test mutating func `A refused frame spoils those that refer to it alone`() throws {
        stream.descriptor.layer = .init(temporalIndex: 0)
        frame(.key)
        stream.descriptor.layer = .init(temporalIndex: 1)
        frame(to: 1)
        finish()
        receiver.buffer.decodingFailed(try #require(receiver.frames.last).received.frame)
        count = 40
        stream.timestamp = stream.timestamp.advanced(by: 38 * 3000)
        stream.descriptor.layer = .init(temporalIndex: 1)
        frame(to: 1)
        stream.descriptor.layer = .init(temporalIndex: 0)
        frame(to: 3)
        finish()
        #expect(receiver.released == [100, 101, 103])
        #expect(receiver.requests.isEmpty)
    }

    // MARK: Non-flexible mode

    /// The structure and labels of an L1T3 stream, whose packets name no references.
    private mutating func label(_ index: Int) {
        stream.descriptor.isFlexible = false
        stream.descriptor.layer = .init(temporalIndex: [0, 2, 1, 2][index % 4], isSwitchingUpPoint: true)
        stream.descriptor.tl0PictureIndex = UInt8(truncatingIfNeeded: 250 + index / 4)
        if index == 0 { stream.structure = GroupStructure.l1t3 }
    }

    @Test(arguments: starts)
    mutating func `The scalability structure defines the references`(start: UInt16) {
        stream.descriptor.pictureID = .long(start)
        for index in 0..<200 {
            label(index)
            frame(index == 0 ? .key : .inter)
        }
        finish()
        let first = Int64(start)
        let distances: [[Int64]] = [[4], [1], [2], [1, 3]]
        #expect(receiver.frames.count == 200)
        for (index, output) in receiver.frames.enumerated() where index > 3 {
            #expect(output.references == distances[index % 4].map { first + Int64(index) - $0 }, "\(index)")
        }
    }

    @Test mutating func `What no frame of the group refers to may be missing`() {
        for index in 0..<80 {
            label(index)
            // The first upper frame of each group is referred to by none but the fourth's list: 1 and 3 back.
            frame(index == 0 ? .key : .inter, isLost: index % 8 == 3 || index % 8 == 7)
        }
        finish()
        #expect(receiver.released == (100..<180).filter { ($0 - 100) % 4 != 3 })
        #expect(receiver.requests.isEmpty)
    }

    @Test mutating func `A missing middle frame drops only the frames that refer to it`() {
        for index in 0..<80 {
            label(index)
            frame(index == 0 ? .key : .inter, isLost: index == 42)
        }
        finish()
        // Picture 43 refers to 42 and 40.
        #expect(receiver.released == (100..<180).filter { $0 != 142 && $0 != 143 })
        #expect(receiver.requests.isEmpty)
    }

    /// Pictures 0 to 12 of a group, of which the base frame 8 lacks a packet, and one or two key frames that start new
    /// groups and overtake picture 12.
    @Test(arguments: [1, 2])
    mutating func `A key frame that overtakes a frame does not hide that its reference is missing`(keyCount: Int) {
        for index in 0..<12 {
            label(index)
            let frame = stream.frame(index == 0 ? .key : .inter, packets: 2)
            for packet in frame.packets.prefix(index == 8 ? 1 : 2) { receiver.insert(packet, at: .frame(index)) }
        }
        label(12)
        let late = stream.frame(.inter)
        for index in 0..<keyCount {
            stream.descriptor.tl0PictureIndex? &+= 1
            stream.descriptor.layer = .init(temporalIndex: 0, isSwitchingUpPoint: true)
            stream.structure = GroupStructure.l1t3
            receiver.insert(stream.frame(.key).packets[0], at: .frame(13 + index))
        }
        receiver.insert(late.packets[0], at: .frame(13 + keyCount))
        receiver.pass(until: .seconds(3))
        // Picture 12 refers to 8.
        #expect(receiver.released == Array(100..<108) + (113..<113 + keyCount).map { Int64($0) })
    }

    /// Of a sender that changes its mode in mid-stream.
    @Test mutating func `A base frame without references depends on the previous one, even if that has references`() {
        stream.descriptor.layer = .init(temporalIndex: 0)
        frame(.key)
        frame(to: 1)
        receiver.insert(stream.frame(.inter, packets: 2).packets[0], at: .frame(count))
        count += 1
        stream.descriptor.references = FrameDistances()
        stream.descriptor.isFlexible = false
        stream.descriptor.tl0PictureIndex = 7
        frame()
        finish()
        #expect(receiver.released == [100, 101])
        #expect(!receiver.requests.isEmpty)
    }

    @Test mutating func `A frame overtaken by a key frame is released by its own group`() {
        for index in 0..<12 {
            label(index)
            frame(index == 0 ? .key : .inter, isLost: index == 11)
        }
        label(12)
        let late = stream.frame(.inter)
        stream.descriptor.tl0PictureIndex? &+= 1
        stream.structure = GroupStructure.l1t3
        receiver.insert(stream.frame(.key).packets[0], at: .frame(12))
        receiver.insert(late.packets[0], at: .frame(13))
        receiver.pass(until: .seconds(3))
        #expect(receiver.released == Array(100..<111) + [112, 113])
        #expect(receiver.frames.first { $0.number == 112 }?.references == [108])
    }

    @Test mutating func `Without a structure the layers say it`() {
        for index in 0..<40 {
            label(index)
            stream.structure = []
            frame(index == 0 ? .key : .inter, isLost: index == 21)
        }
        finish()
        // Of the lost frame nothing is known but that it lay above layer 0, which goes on.
        let released = Set(receiver.released)
        for index in 0..<40 where index % 4 == 0 { #expect(released.contains(100 + Int64(index)), "\(index)") }
        #expect(receiver.requests.isEmpty)
    }
}

/// Scalability structures as bytes.
enum GroupStructure {
    /// Four pictures on three temporal layers.
    static let l1t3: [UInt8] = {
        let sizes = [VP9ScalabilityStructure.Size(width: 160, height: 120)]
        let pictures = zip([0, 2, 1, 2] as [UInt8], [[4], [1], [2], [1, 3]] as [[UInt8]]).map { layer, distances in
            var picture = VP9ScalabilityStructure.Picture(temporalIndex: layer, isSwitchingUpPoint: true)
            for distance in distances { picture.references.append(distance) }
            return picture
        }
        return [UInt8](capacity: VP9ScalabilityStructure.maximumByteCount(layers: 1, pictures: pictures.count)) {
            VP9ScalabilityStructure.write(sizes: sizes.span, pictures: pictures.span, into: &$0)
        }
    }()
}

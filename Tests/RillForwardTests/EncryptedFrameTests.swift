import RillCore
import RillForward
import RillPacketSupport
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

@testable import RillReceive

/// Frames that their publisher has encrypted, behind some clear bytes or wholly (RFC 9605).
@Suite struct EncryptedFrameTests {
    /// A codec, and how many bytes of each frame are left in the clear.
    struct Layout: CustomTestStringConvertible {
        var codec: VideoCodec
        var clear: (key: Int, delta: Int)
        var testDescription: String { "\(codec), \(clear.key)/\(clear.delta) clear bytes" }
        /// Whether a forwarder without the key can know what it forwards.
        var isReadable: Bool { codec == .vp9 || clear.key >= 10 }
    }

    private static let layouts = [
        Layout(codec: .vp8, clear: (10, 10)), Layout(codec: .vp8, clear: (10, 3)), Layout(codec: .vp8, clear: (1, 1)),
        Layout(codec: .vp8, clear: (0, 0)), Layout(codec: .vp9, clear: (10, 10)), Layout(codec: .vp9, clear: (1, 1)),
        Layout(codec: .vp9, clear: (0, 0)),
    ]

    /// A header, ciphertext and a tag (RFC 9605 §4.3), behind the clear bytes; the last byte is any.
    private func encrypt(_ layout: Layout, seed: UInt64) -> (inout [UInt8], Bool) -> Void {
        var random = SeededGenerator(seed: seed)
        return { bytes, isKey in
            let start = isKey ? layout.clear.key : layout.clear.delta
            for index in start..<bytes.count { bytes[index] = UInt8.random(in: 0...255, using: &random) }
            bytes += (0..<18).map { _ in UInt8.random(in: 0...255, using: &random) }
            // One frame in four seems to end a superframe (VP9 annex B), with a length that does not fit.
            if Bool.random(using: &random), Bool.random(using: &random) {
                bytes[bytes.count - 1] = 0xC0 | UInt8.random(in: 0...31, using: &random)
            }
        }
    }

    private func publish(_ layout: Layout, in room: ForwardNetwork) throws -> ForwardNetwork.Client {
        let publisher = try room.publish("lobby", codecs: [layout.codec], films: false)
        publisher.end.transform = encrypt(layout, seed: 7)
        publisher.end.film(from: room.now)
        for index in 0..<2 { publisher.end.change(to: layout.codec, camera: index) }
        return publisher
    }

    @Test(arguments: layouts)
    func `Encrypted frames are forwarded where their packets tell enough, and are never misread`(layout: Layout) throws
    {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try publish(layout, in: room)
        let viewers = try (0..<2).map { _ in try room.watch("lobby", isOpaque: true) }
        room.run(.seconds(3))
        try room.forwarder.select("low", for: viewers[1].id, at: room.now)
        room.run(.seconds(10))
        try room.forwarder.select("high", for: viewers[1].id, at: room.now)
        try room.forwarder.select("low", for: viewers[0].id, at: room.now)
        room.run(.seconds(3))
        let layers = try existing(room.forwarder.statistics(at: room.now).first).layers
        var (unreadable, first): ([String], [Resolution?]) = ([], [])
        for (_, event) in room.server.events {
            if case .unreadable(let session, layer: let layer) = event, session.isPublisher { unreadable.append(layer) }
            if case .firstPicture(_, layer: _, let size) = event { first.append(size) }
        }
        // Each layer's refusal, or its size, is an event once.
        #expect(unreadable.sorted() == (layout.isReadable ? [] : ["high", "low"]))
        #expect(Set(first) == (layout.isReadable ? [.vga, .qqvga] : []) && first.count == Set(first).count)
        guard layout.isReadable else {
            // Nothing is known of it, and nobody is shown garbage.
            #expect(viewers.allSatisfy(\.frames.isEmpty) && layers.allSatisfy { $0.resolution == nil })
            for stream in publisher.end.peer.sendingStreams {
                let requests = publisher.end.keyFrameRequests[stream.id] ?? 0
                #expect((1...12).contains(requests), "\(requests) requests in 16 s")
            }
            return
        }
        #expect(layers.map(\.name) == ["high", "low"])
        #expect(layers.map(\.resolution) == [.vga, .qqvga])
        for (index, viewer) in viewers.enumerated() {
            let sizes = viewer.frames.map(\.frame.resolution)
            #expect(Set(sizes) == [.vga, .qqvga], "viewer \(index)")
            #expect(sizes.suffix(10).allSatisfy { $0 == (index == 0 ? .qqvga : .vga) })
            // Each layer begins with a key frame, and no frame is missing.
            var former: EncodedFrame?
            for frame in viewer.frames.map(\.frame) {
                if former?.resolution != frame.resolution { #expect(frame.isKey) }
                if let former { #expect(frame.number == former.number + 1) }
                former = frame
            }
            #expect(viewer.frames.count { $0.frame.isKey } <= 4 && viewer.ownRequests == 0)
        }
        #expect(viewers[0].highFrames.count > 370 && viewers[1].lowFrames.count > 48)
        #expect(publisher.keyFrameRequests <= 8, "\(publisher.end.keyFrameRequests)")
    }

    @Test func `Somebody whose frames cannot be read harms nobody else in the room`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let names = ["a", "b", "c", "x"]
        let members = try names.map { name in
            let member = try room.join(name, slots: 3)
            if name == "x" { member.end.transform = encrypt(Layout(codec: .vp8, clear: (0, 0)), seed: 3) }
            return member
        }
        room.run(.seconds(1))
        for (name, member) in zip(names, members) {
            for other in names where other != name {
                try room.forwarder.want(other, StreamWish(), for: member.id, at: room.now)
            }
        }
        room.run(.seconds(20))
        for (name, member) in zip(names, members) {
            let shown = member.end.decoded.values.filter { frames in
                frames.suffix(20).allSatisfy { $0.frame.resolution == .vga } && frames.count > 500
            }
            #expect(shown.count == (name == "x" ? 3 : 2), "\(name)")
            #expect(member.end.failure == nil)
            // Of each layer at 0, 0.5, 1, 2, 4, 8 s and so on, and two by the receiver itself.
            #expect(member.keyFrameRequests <= (name == "x" ? 22 : 8), "\(name): \(member.end.keyFrameRequests)")
        }
    }

    /// The descriptor of a key frame of 640x480, and of another frame (RTP payload format for AV1, appendix A).
    private static let descriptors = (
        key: [0xC0, 0x00, 0x01, 0x80, 0x00, 0x3A, 0x40, 0x81, 0x3F, 0x80, 0xEF, 0x80] as [UInt8],
        delta: [0xC1, 0x00, 0x02] as [UInt8]
    )

    @Test func `A size that nothing tells is unknown, and never guessed`() throws {
        var settings = JitterBufferSettings(payloadType: PayloadType(96))
        settings.isOpaque = true
        try settings.headerExtensions.set(.dependencyDescriptor, id: 4)
        var buffer = JitterBuffer(settings)
        var stream = SyntheticStream()
        // A key frame, by a structure that has no size.
        stream.orientation = (4, EncryptedFrameTests.descriptors.key.prefix(7) + [0x00])
        var packet = try existing(stream.frame(isKey: true).packets.first)
        let count = try VP8Payload(parsing: RTPPacket(parsing: packet.span).payload).piece.count
        for place in packet.indices.suffix(count) { packet[place] = 0xA5 }
        _ = buffer.insert(packet.span, at: .zero)
        var bytes: [UInt8] = []
        guard case .frame = buffer.poll(at: .zero + .milliseconds(30), into: &bytes) else {
            Issue.record("no frame")
            return
        }
        let frame = buffer.releasedFrame.frame
        #expect(frame.isKey && frame.resolution == .unknown && frame.resolution.known == nil)
        #expect(Resolution.vga.known == .vga)
    }

    @Test(arguments: [true, false])
    func `With dependency descriptors wholly encrypted frames of VP8 are known`(isTold: Bool) throws {
        var settings = JitterBufferSettings(payloadType: PayloadType(96))
        settings.isOpaque = true
        try settings.headerExtensions.set(.dependencyDescriptor, id: 4)
        var buffer = JitterBuffer(settings)
        var stream = SyntheticStream()
        var random = SeededGenerator(seed: 5)
        var (bytes, released): ([UInt8], [ReceivedFrame]) = ([], [])
        for index in 0..<300 {
            let isKey = index % 50 == 0
            let told = isKey ? EncryptedFrameTests.descriptors.key : EncryptedFrameTests.descriptors.delta
            stream.orientation = isTold ? (4, told) : nil
            let now = MediaTime.zero + .milliseconds(33 * index)
            for var packet in stream.frame(isKey: isKey).packets {
                let count = try VP8Payload(parsing: RTPPacket(parsing: packet.span).payload).piece.count
                for place in packet.indices.suffix(count) { packet[place] = UInt8.random(in: 0...255, using: &random) }
                _ = buffer.insert(packet.span, at: now)
            }
            for _ in 0..<10 {
                if case .frame = buffer.poll(at: now + .milliseconds(30), into: &bytes) {
                    released.append(buffer.releasedFrame)
                }
            }
        }
        guard isTold else {
            // Nothing of it is taken for a key frame.
            #expect(released.isEmpty)
            return
        }
        #expect(released.count > 280)
        #expect(released.count { $0.frame.isKey } == 6)
        #expect(released.allSatisfy { $0.frame.resolution == .vga })
    }
}

import RillRTP
import Testing

@Suite struct StreamDescriptionTests {
    /// A layer with all that there is.
    static func layer(_ number: UInt32) -> StreamDescription {
        var stream = StreamDescription(PayloadType(96), RTPFormat.Encoding("VP8"))
        (stream.mid, stream.rid) = ("0", "r\(number)")
        stream.ssrc = SSRC(10 * number)
        stream.canonicalName = "a@b"
        stream.repair.retransmission = .init(ssrc: SSRC(10 * number + 1), payloadType: PayloadType(97))
        stream.repair.redPayloadType = PayloadType(100)
        stream.repair.fecPayloadType = PayloadType(101)
        do throws(RTPError) {
            try stream.headerExtensions.set(.mid, id: 1)
            try stream.headerExtensions.set(.rid, id: 2)
        } catch {
            preconditionFailure("\(error)")
        }
        return stream
    }

    /// The fault of streams.
    private func fault(
        _ count: UInt32 = 1, _ change: (inout [StreamDescription]) -> Void
    ) -> StreamDescriptionError? {
        var streams = (1...count).map(Self.layer)
        change(&streams)
        do throws(StreamDescriptionError) {
            try streams.validate()
            return nil
        } catch {
            return error
        }
    }

    @Test func `Layers of one section that differ in RID and source are in order`() {
        #expect(fault(3) { _ in } == nil)
        #expect(fault(3) { streams in for index in streams.indices { streams[index].ssrc = nil } } == nil)
    }

    @Test func `Formats of one stream have separate payload types`() {
        #expect(fault { $0[0].repair.redPayloadType = PayloadType(96) } == .payloadTypeInUse(PayloadType(96)))
        #expect(fault { $0[0].repair.fecPayloadType = PayloadType(97) } == .payloadTypeInUse(PayloadType(97)))
        #expect(
            fault { $0[0].repair.retransmission?.payloadType = PayloadType(100) } == .payloadTypeInUse(PayloadType(100))
        )
    }

    @Test(arguments: UInt8(0)...127)
    func `A payload type that looks like RTCP with its marker set is refused`(type: UInt8) {
        let isRTCP = PacketKind(of: [0x80, 0x80 | type].span) == .rtcp
        let found = fault { $0[0].payloadType = PayloadType(type) }
        let others: [UInt8] = [97, 100, 101]
        if others.contains(type) {
            #expect(found == .payloadTypeInUse(PayloadType(type)))
        } else {
            #expect(found == (isRTCP ? .reservedPayloadType(PayloadType(type)) : nil))
        }
    }

    @Test func `A source is that of one stream, or of its retransmissions`() {
        #expect(fault { $0[0].repair.retransmission?.ssrc = SSRC(10) } == .sourceInUse(SSRC(10)))
        #expect(fault(2) { $0[1].ssrc = SSRC(11) } == .sourceInUse(SSRC(11)))
        #expect(fault(2) { $0[1].repair.retransmission?.ssrc = SSRC(11) } == .sourceInUse(SSRC(11)))
    }

    @Test func `A RID is that of one stream of its section`() {
        #expect(fault(2) { $0[1].rid = "r1" } == .identifierInUse("r1"))
        #expect(fault(2) { ($0[1].mid, $0[1].rid) = ("1", "r1") } == nil)
    }

    @Test(arguments: ["", "a b", "a.b", "12345678901234567", "ä", "a;b", "~a", "a,b"])
    func `A name that does not fit in a header extension or a session description is rejected`(name: String) {
        #expect(fault { $0[0].rid = name } == .invalidIdentifier(name))
        #expect(fault { $0[0].alternativeRIDs = ["ok", name] } == .invalidIdentifier(name))
        // A MID is any token.
        let isToken = ["a.b", "a;b", "~a", "a,b"].contains(name)
        #expect(fault { $0[0].mid = name } == (isToken ? nil : .invalidIdentifier(name)))
    }

    @Test(arguments: [("", 0), (String(repeating: "n", count: 256), 256), ("a\r\nm=video", 10)])
    func `A canonical name that cannot be sent is rejected`(name: String, byteCount: Int) {
        #expect(fault { $0[0].canonicalName = name } == .invalidCanonicalName(byteCount: byteCount))
    }

    @Test func `Numbers mean the same in all streams of a session`() throws {
        var other = HeaderExtensionMap()
        try other.set(.mid, id: 1)
        #expect(fault(2) { $0[1].headerExtensions = other } == nil)
        try other.set(.videoOrientation, id: 2)
        #expect(fault(2) { $0[1].headerExtensions = other } == .headerExtensionInUse(2))
        other = HeaderExtensionMap()
        try other.set(.mid, id: 3)
        #expect(fault(2) { $0[1].headerExtensions = other } == .headerExtensionInUse(3))
        #expect(
            fault(2) { $0[1].encoding.name = "VP9" } == .payloadTypeInUse(PayloadType(96)))
        #expect(fault(2) { $0[1].encoding.name = "vp8" } == nil)
        #expect(
            fault(2) { $0[1].repair.redPayloadType = PayloadType(101) } == .payloadTypeInUse(PayloadType(101)))
    }

    @Test func `Indistinguishable packets are rejected`() {
        let bare = { (streams: inout [StreamDescription]) in
            for index in streams.indices {
                streams[index].ssrc = nil
                streams[index].headerExtensions = HeaderExtensionMap()
            }
        }
        #expect(fault(1, bare) == nil)
        #expect(fault(2, bare) == .indistinguishable(PayloadType(96)))
        #expect(
            fault(2) { streams in
                bare(&streams)
                streams[1].payloadType = PayloadType(98)
                streams[1].repair = RepairSettings()
            } == nil)
    }

    @Test func `More streams than a session allows are rejected at once`() {
        #expect(fault(1025) { _ in } == .tooManyStreams(count: 1025, limit: 1024))
        #expect(fault(1024) { _ in } == nil)
    }

    @Test func `Each fault is described in one line`() {
        let faults: [StreamDescriptionError] = [
            .payloadTypeInUse(PayloadType(96)), .reservedPayloadType(PayloadType(72)), .sourceInUse(SSRC(1)),
            .identifierInUse("hi"), .invalidIdentifier("a b"), .invalidCanonicalName(byteCount: 0),
            .headerExtensionInUse(3), .indistinguishable(PayloadType(96)), .tooManyStreams(count: 2000, limit: 1024),
            .unsupportedFormat(name: "opus", clockRate: 48000), .noCodec(section: 1),
        ]
        for fault in faults { #expect(!fault.description.isEmpty && !fault.description.contains("\n")) }
        #expect(Set(faults.map(\.description)).count == faults.count)
    }
}

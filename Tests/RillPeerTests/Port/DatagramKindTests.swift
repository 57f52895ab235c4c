import RillPeer
import Testing

@Suite struct DatagramKindTests {
    private func kinds(_ first: ClosedRange<UInt8>, _ second: ClosedRange<UInt8> = .min ... .max) -> Set<DatagramKind> {
        Set(first.flatMap { one in second.map { two in DatagramKind([one, two].span) } })
    }

    @Test func `The first byte tells the protocol`() {
        #expect(kinds(0...3) == [.stun])
        #expect(kinds(4...19) == [.unknown])
        #expect(kinds(20...63) == [.dtls])
        #expect(kinds(64...79) == [.turnChannel])
        #expect(kinds(80...127) == [.unknown])
        #expect(kinds(128...191, 0...191) == [.rtp])
        #expect(kinds(128...191, 192...223) == [.rtcp])
        #expect(kinds(128...191, 224...255) == [.rtp])
        #expect(kinds(192...255) == [.unknown])
    }

    @Test func `Short datagrams are not RTP`() {
        func kind(_ datagram: [UInt8]) -> DatagramKind { DatagramKind(datagram.span) }
        #expect(kind([]) == .unknown && kind([128]) == .unknown && kind([22]) == .dtls)
    }
}

import RillRTP

/// A receiver's feedback for a tenth of a second of a lossy call.
struct Feedback {
    /// The compound packet's bytes.
    private(set) var compound: [UInt8] = []
    private let blocks = [ReportBlock(ssrc: SSRC(1), fractionLost: 12, extendedHighestSequenceNumber: 70_000)]
    private let lost = ([100, 101, 120, 300] as [UInt16]).map(SequenceNumber.init(rawValue:))
    /// Every tenth packet is lost, every fifteenth is late.
    private let statuses = (0..<100).map { index -> TransportFeedback.PacketStatus in
        index % 10 == 9 ? .notReceived : .received(delta: index % 15 == 0 ? 300 : 20)
    }

    init() {
        let feedback = self
        compound = [UInt8](capacity: 1200) { output in feedback.write(into: &output) }
    }

    @inline(never) @_lifetime(output: copy output)
    func write(into output: inout OutputSpan<UInt8>) {
        ReceiverReport(ssrc: SSRC(2), blocks: WireList(blocks.span)).write(into: &output)
        GenericNACK.write(lost: lost.span, of: SSRC(1), from: SSRC(2), into: &output)
        TransportFeedback(
            sender: SSRC(2), media: SSRC(1), baseSequenceNumber: SequenceNumber(7), referenceTime: 1000,
            feedbackCount: 3, packets: statuses.span
        ).write(into: &output)
    }

    /// A number that depends on all values of the compound packet.
    @inline(never)
    func read(_ bytes: Span<UInt8>) throws(RTPError) -> Int {
        var compound = RTCPCompound(bytes)
        var sum = 0
        while let packet = try compound.next() {
            switch try RTCPMessage(parsing: packet) {
            case .receiverReport(let report):
                for index in report.blocks.indices { sum &+= Int(report.blocks[index].fractionLost) }
            case .genericNACK(let nack):
                var lost = nack.lostPackets
                while let number = lost.next() { sum &+= Int(number.rawValue) }
            case .transportFeedback(let feedback):
                var packets = feedback.packets
                while let packet = packets.next() { sum &+= Int(packet.arrival ?? 0) }
            default: return 0
            }
        }
        return sum
    }
}

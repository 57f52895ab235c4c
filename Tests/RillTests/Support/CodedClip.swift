import RillCore
import RillFiles
import RillRTP
import RillTestSupport

/// A clip of SampleMedia as RTP packets.
struct CodedClip {
    /// Its coded frames.
    private(set) var frames: [[UInt8]] = []
    /// The packets of each frame.
    private(set) var packets: [[[UInt8]]] = []
    private(set) var times: [MediaTime] = []
    let path: String

    static let ssrc = SSRC(0xCAFE)
    static let payloadType = PayloadType(96)

    init(_ name: String = "portrait.ivf") throws {
        path = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" } + "/SampleMedia/\(name)"
        let file = try IVFReader(path: path)
        var frame: [UInt8] = []
        var number = SequenceNumber(65530)
        while let record = try file.next(into: &frame) {
            let packetizer = VP8Packetizer(
                frameByteCount: frame.count,
                header: RTPHeader(
                    marker: false, payloadType: CodedClip.payloadType, sequenceNumber: number,
                    timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: record.time.ticks(rate: 90000))),
                    ssrc: CodedClip.ssrc),
                descriptor: VP8PayloadDescriptor(
                    startsPartition: true, pictureID: .long(UInt16(frames.count)),
                    tl0PictureIndex: UInt8(frames.count & 0xFF),
                    temporalLayer: VP8PayloadDescriptor.TemporalLayer(index: 0, isLayerSync: false)))
            let whole = frame
            packets.append(
                (0..<packetizer.packetCount).map { index in
                    [UInt8](capacity: packetizer.byteCount(ofPacket: index)) { output in
                        packetizer.writePacket(index, of: whole.span, into: &output)
                    }
                })
            number = number.advanced(by: packetizer.packetCount)
            frames.append(whole)
            times.append(record.time)
        }
    }
}

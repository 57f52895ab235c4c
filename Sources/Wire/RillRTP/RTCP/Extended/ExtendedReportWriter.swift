/// Writes an XR packet, block by block (RFC 3611 §2).
///
/// ```swift
/// let writer = ExtendedReportWriter(ssrc: SSRC(7), into: &output)
/// writer.append(.receiverReferenceTime(now), into: &output)
/// writer.finish(into: &output)
/// ```
///
/// Pass the same `output` throughout, and append nothing else to it in between. Traps unless it has room for
/// `ExtendedReportWriter.headerByteCount` and the blocks' `byteCount`s. Allocates nothing.
public struct ExtendedReportWriter {
    private let start: Int

    /// The size of a packet without blocks in bytes.
    public static let headerByteCount = 8

    /// Starts a packet from `ssrc`.
    @_lifetime(output: copy output)
    public init(ssrc: SSRC, into output: inout OutputSpan<UInt8>) {
        start = output.count
        RTCPPacket.writeHeader(
            .extendedReport, count: 0, byteCount: ExtendedReportWriter.headerByteCount, into: &output)
        output.append(bigEndian: ssrc.rawValue)
    }

    /// Appends a block.
    @_lifetime(output: copy output)
    public func append(_ block: borrowing ExtendedReport.Block, into output: inout OutputSpan<UInt8>) {
        block.write(into: &output)
    }

    /// Completes the packet by writing its length.
    @_lifetime(output: copy output)
    public func finish(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.patchLength(ofPacketAt: start, in: &output)
    }
}

extension ExtendedReport.Block {
    /// The size of the block on the wire in bytes.
    public var byteCount: Int {
        let contents =
            switch self {
            case .receiverReferenceTime: 8
            case .delaySinceLastReceiverReport(let delays): delays.byteCount
            case .unknown(let block): block.contents.count
            }
        return ExtendedReport.blockHeaderByteCount + contents
    }

    @_lifetime(output: copy output)
    fileprivate func write(into output: inout OutputSpan<UInt8>) {
        let words = (byteCount - ExtendedReport.blockHeaderByteCount) / 4
        precondition(words <= UInt16.max, "a block of \(words) words: 65535 fit")
        switch self {
        case .receiverReferenceTime(let time):
            output.append(ExtendedReport.receiverReferenceTimeType)
            output.append(0)
            output.append(bigEndian: UInt16(words))
            output.append(bigEndian: time.seconds)
            output.append(bigEndian: time.fraction)
        case .delaySinceLastReceiverReport(let delays):
            output.append(ExtendedReport.delaySinceLastReceiverReportType)
            output.append(0)
            output.append(bigEndian: UInt16(words))
            delays.write(into: &output)
        case .unknown(let block):
            output.append(block.type)
            output.append(block.typeSpecific)
            output.append(bigEndian: UInt16(words))
            output.append(copying: block.contents)
        }
    }
}

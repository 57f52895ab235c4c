import RillCore
import RillRTP

/// Writes one compound of RTCP after another, in reused memory: reports first, then the names of those that report,
/// then anything else (RFC 3550 §6.1).
struct ReportWriter {
    /// The compound so far.
    private(set) var bytes: [UInt8] = []
    /// The most bytes of a compound.
    let limit: Int
    private let canonicalName: [UInt8]
    /// The blocks for the next reports, and the SSRCs that report in this compound.
    private var blocks: [ReportBlock] = []
    private var sources: [SSRC] = []

    init(limit: Int, canonicalName: String) {
        self.limit = limit
        self.canonicalName = Array(canonicalName.utf8)
        bytes.reserveCapacity(limit)
    }

    var isEmpty: Bool { bytes.isEmpty }
    /// The number of bytes that still fit.
    var room: Int { limit - bytes.count }
    /// The bytes of the name of one that reports.
    var nameByteCount: Int { SourceDescription.chunkByteCount(items: 1, textByteCount: canonicalName.count) }
    /// The number of blocks for the next reports, and of SSRCs that report.
    var blockCount: Int { blocks.count }
    var sourceCount: Int { sources.count }
    /// The first SSRC that reports.
    var firstSource: SSRC? { sources.first }

    mutating func append(byteCount: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        bytes.append(addingCapacity: byteCount, initializingWith: write)
    }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    // MARK: Reports

    /// Replaces the blocks for the next reports by none.
    mutating func removeBlocks() { blocks.removeAll(keepingCapacity: true) }

    /// Adds a block for the next reports.
    mutating func add(_ block: ReportBlock) { blocks.append(block) }

    /// Starts a compound in which nobody reports yet.
    mutating func begin() { sources.removeAll(keepingCapacity: true) }

    /// Writes a sender report with some of the blocks.
    mutating func write(_ report: SenderReport, _ range: Range<Int>) {
        let all = blocks
        let whole = SenderReport(
            ssrc: report.ssrc, ntpTimestamp: report.ntpTimestamp, rtpTimestamp: report.rtpTimestamp,
            packetCount: report.packetCount, octetCount: report.octetCount,
            blocks: WireList(all.span.extracting(range)))
        append(byteCount: whole.byteCount) { whole.write(into: &$0) }
        sources.append(report.ssrc)
    }

    /// Writes a receiver report with some of the blocks.
    mutating func writeReceiverReport(of source: SSRC, _ range: Range<Int>) {
        let all = blocks
        let report = ReceiverReport(ssrc: source, blocks: WireList(all.span.extracting(range)))
        append(byteCount: report.byteCount) { report.write(into: &$0) }
        if !sources.contains(source) { sources.append(source) }
    }

    /// Writes the CNAME of each SSRC that reports.
    mutating func writeNames() {
        let (sources, name) = (sources, canonicalName)
        append(byteCount: RTCPPacket.headerByteCount + sources.count * nameByteCount) { output in
            var writer = SourceDescriptionWriter(into: &output)
            for source in sources {
                writer.beginChunk(of: source, into: &output)
                writer.append(.canonicalName, name.span, into: &output)
            }
            writer.finish(into: &output)
        }
    }
}

import RillCore
import RillRTP

/// Rewrites a publisher's packets of audio for one viewer: with the payload type and SSRC of the viewer's session, and
/// numbers and timestamps that go on when another publisher takes over. Packets keep their order and their gaps.
///
/// **Padding.** A packet without a payload probes the publisher's path (Chromium). It is left out, and the numbers
/// close up behind it, so that viewers see no gap. One that comes after packets behind it is passed on: its number is
/// taken.
///
/// Header extensions are left out: their identifiers were negotiated with the publisher.
struct AudioRewriter: Sendable {
    let ssrc: SSRC
    let payloadType: PayloadType
    /// The publisher's SSRC.
    private var source: SSRC?
    private var numberOffset: UInt16 = 0
    private var timestampOffset: UInt32 = 0
    /// The newest packet as it was sent.
    private var newest: (number: UInt16, timestamp: UInt32, time: MediaTime)?
    /// The publisher's newest number, of padding too.
    private var newestOfSource: UInt16 = 0
    /// The publisher's numbers of the last packets that were left out. What comes late from before them keeps its
    /// place.
    private var leftOut: [UInt16] = []

    /// Opus counts 48,000 times a second, whatever it encodes (RFC 7587 §4.1).
    private static let clockRate = Double(ClockRate.opus.hertz)
    /// Packets come late by fewer than so many.
    private static let reach = 64

    init(ssrc: SSRC, payloadType: PayloadType) { (self.ssrc, self.payloadType) = (ssrc, payloadType) }

    /// What comes next is of another source, whatever its SSRC.
    mutating func restart() { source = nil }

    /// Rewrites a packet.
    ///
    /// - Parameters:
    ///   - datagram: the packet, decrypted.
    ///   - now: the current time.
    ///   - output: receives the packet.
    /// - Returns: whether it is a packet to send: not if it is padding that is left out.
    mutating func rewrite(_ datagram: Span<UInt8>, at now: MediaTime, into output: inout [UInt8]) -> Bool {
        guard let packet = try? RTPPacket(parsing: datagram) else { return false }
        var header = packet.header
        let number = header.sequenceNumber.rawValue
        if packet.payload.isEmpty {
            guard header.ssrc == source, packet.paddingByteCount > 0, !leftOut.contains(number) else { return false }
            guard AudioRewriter.isNewer(newestOfSource, than: number) else { return leaveOut(number) }
        }
        if header.ssrc != source { begin(header, at: now) }
        if AudioRewriter.isNewer(number, than: newestOfSource) { advance(to: number) }
        header.ssrc = ssrc
        header.payloadType = payloadType
        header.sequenceNumber = SequenceNumber(number &+ numberOffset &+ shift(of: number))
        header.timestamp = RTPTimestamp(header.timestamp.rawValue &+ timestampOffset)
        note(header, at: now)
        output.removeAll(keepingCapacity: true)
        let padding = packet.payload.isEmpty ? packet.paddingByteCount : 0
        let rewritten = RTPPacket(header: header, payload: packet.payload, paddingByteCount: padding)
        output.append(addingCapacity: rewritten.byteCount) { rewritten.write(into: &$0) }
        return true
    }

    private mutating func begin(_ header: RTPHeader, at now: MediaTime) {
        source = header.ssrc
        newestOfSource = header.sequenceNumber.rawValue
        leftOut.removeAll(keepingCapacity: true)
        guard let newest else { return }
        let elapsed = UInt32(
            truncatingIfNeeded: Int64(min((now - newest.time).seconds, 3600) * AudioRewriter.clockRate))
        numberOffset = newest.number &+ 1 &- header.sequenceNumber.rawValue
        timestampOffset = newest.timestamp &+ max(elapsed, 1) &- header.timestamp.rawValue
    }

    private mutating func advance(to number: UInt16) {
        newestOfSource = number
        // Numbers wrap: what is far back must not come to be ahead.
        if let last = leftOut.last, number &- last > 1024 { leftOut.removeAll(keepingCapacity: true) }
    }

    /// Leaves out a packet behind all others, of which `false` is returned.
    private mutating func leaveOut(_ number: UInt16) -> Bool {
        // The same packet once more: nothing changes.
        guard number != newestOfSource else { return false }
        if leftOut.count == AudioRewriter.reach { leftOut.removeFirst() }
        leftOut.append(number)
        newestOfSource = number
        numberOffset &-= 1
        return false
    }

    /// By how much the number of a packet is higher than behind all that was left out: it was not left out before it.
    private func shift(of number: UInt16) -> UInt16 {
        guard let last = leftOut.last, !AudioRewriter.isNewer(number, than: last) else { return 0 }
        return UInt16(leftOut.count { AudioRewriter.isNewer($0, than: number) })
    }

    private mutating func note(_ header: RTPHeader, at now: MediaTime) {
        let number = header.sequenceNumber.rawValue
        if let newest, !AudioRewriter.isNewer(number, than: newest.number) { return }
        newest = (number, header.timestamp.rawValue, now)
    }

    private static func isNewer(_ number: UInt16, than other: UInt16) -> Bool {
        Int16(bitPattern: number &- other) > 0
    }
}

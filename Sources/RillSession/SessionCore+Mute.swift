import RillCore
import RillRTP
import RillSend
import RillState

// Streams that are muted: PAUSED of those that are sent, and what comes of the other side's (RFC 7728).

extension SessionCore {
    // MARK: Streams that are sent

    /// Sends nothing on a stream, or goes on; the other side is told.
    mutating func setMuted(_ isMuted: Bool, of id: SendingStreamID, at now: MediaTime) {
        begin(at: now)
        guard let stream = sending[id.place], stream.isMuted != isMuted else { return }
        stream.isMuted = isMuted
        mutedCount += isMuted ? 1 : -1
        if isMuted { tellMuted(stream, at: now) } else { wantKeyFrame(of: stream) }
    }

    /// Has the next poll say that the stream is muted.
    mutating func tellMuted(_ stream: SendingStream, at now: MediaTime) {
        stream.isMuteUntold = true
        areRequestsPossible = true
        wakeTime = min(wakeTime, now)
    }

    /// Says PAUSED of the streams that are muted: of all, behind a report that leaves in any case; else of those of which it was not
    /// said yet.
    mutating func writePaused(with isReport: Bool, at now: MediaTime) {
        guard settings.tellsMuted else { return }
        var entries: [PauseResume.Entry] = []
        for index in sending.indices {
            guard let stream = sending[index], stream.isMuted, isReport || stream.isMuteUntold else { continue }
            stream.isMuteUntold = false
            entries.append(
                PauseResume.Entry(
                    target: stream.cell.state.settings.ssrc,
                    kind: .paused(last: stream.cell.state.extendedHighestSequenceNumber)))
        }
        var first = 0
        while first < entries.count {
            let needed = PauseResume(sender: source, entries: entries.span.extracting(first...first)).byteCount
            if compound.isEmpty || compound.room < needed {
                close(at: now)
                open(reporting: nil, isRequest: true, at: now)
            }
            let room = 1 + max(0, compound.room - needed) / SessionCore.pausedByteCount
            let end = min(first + room, entries.count)
            let message = PauseResume(sender: source, entries: entries.span.extracting(first..<end))
            compound.append(byteCount: message.byteCount) { message.write(into: &$0) }
            first = end
        }
    }

    /// Bytes of a PAUSED beside others.
    private static var pausedByteCount: Int { 12 }

    // MARK: Streams that are received

    /// Signalling says that nothing is sent on a stream, or that something is again.
    mutating func setMuted(_ isMuted: Bool, of id: ReceivingStreamID) {
        guard let stream = receiving[id.place] else { return }
        change(stream) { stream in
            stream.isMutedBySignalling = isMuted
            if !isMuted { stream.pause = nil }
        }
    }

    /// Takes what is said of streams that pause. Requests to do so come from those who receive, and are not followed.
    mutating func take(_ message: borrowing PauseResume) {
        var entries = message.entries
        while let entry = entries.next() {
            guard case .paused(let last) = entry.kind, let place = theirSources[entry.target],
                let stream = receiving[place], stream.ssrc == entry.target
            else { continue }
            change(stream) { $0.notePaused(behind: SequenceNumber(UInt16(truncatingIfNeeded: last))) }
        }
    }

    /// A packet has come of a stream whose source has said that none would.
    @inline(never)
    mutating func noteInSilence(_ datagram: Span<UInt8>, of stream: ReceivingStream, at now: MediaTime) {
        change(stream) { $0.noteInSilence(datagram, at: now) }
    }

    /// Changes what is known of a stream; if it is muted by that, or is not any more, that is told.
    private mutating func change(_ stream: ReceivingStream, _ body: (ReceivingStream) -> Void) {
        let wasMuted = stream.isMuted
        body(stream)
        guard stream.isMuted != wasMuted else { return }
        events.append(stream.isMuted ? .muted(stream.id) : .unmuted(stream.id))
    }
}

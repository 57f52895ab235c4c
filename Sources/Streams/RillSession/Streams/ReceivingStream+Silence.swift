import RillCore
import RillRTP
import RillReceive

extension ReceivingStream {
    /// What a stream's source has announced about its silence: that it ends (BYE), or pauses (PAUSED).
    struct AnnouncedSilence {
        var end: MediaTime?
        var pause: Pause?
    }

    /// The content of a PAUSED (RFC 7728 §8.2): this SSRC sends nothing after that packet.
    struct Pause {
        var ssrc: SSRC
        var last: SequenceNumber
        /// Whether we requested it.
        var isRequested: Bool
    }

    /// When its source announced its end.
    var end: MediaTime? {
        get { announcedSilence?.end }
        set { announce(end: newValue, pause: pause) }
    }

    /// The pause that the remote side announced in RTCP.
    var pause: Pause? {
        get { announcedSilence?.pause }
        set { announce(end: end, pause: newValue) }
    }

    private func announce(end: MediaTime?, pause: Pause?) {
        announcedSilence = end == nil && pause == nil ? nil : AnnouncedSilence(end: end, pause: pause)
    }

    /// Whether the remote side has paused the stream by its own decision, however it announced that.
    var isMuted: Bool { isMutedBySignalling || pause?.isRequested == false }

    /// Notes a PAUSED of its source. One that is older than the newest packet is ignored.
    ///
    /// - Parameters:
    ///   - last: the last packet before the pause.
    ///   - isRequested: whether it answers our request. It does not show whether a stream that was muted before still
    ///     is; then it counts as muted.
    func notePaused(behind last: SequenceNumber, isRequested: Bool) {
        guard let ssrc else { return }
        if let newest = receiver?.newestSequenceNumber, newest.isNewer(than: last) { return }
        if let pause, pause.ssrc == ssrc, !last.isNewer(than: pause.last), !pause.isRequested || isRequested { return }
        pause = Pause(ssrc: ssrc, last: last, isRequested: isRequested)
    }

    /// Notes a packet of one of its SSRCs. It cancels an announced end unless it is a late packet. It ends a pause if
    /// it has the stream's own SSRC and is newer than the last packet before the pause.
    ///
    /// - Returns: whether it is such a packet: of the stream's own SSRC, and not from before a known pause.
    func noteInSilence(_ datagram: Span<UInt8>, at now: MediaTime) -> Bool {
        if let end, now - end > ReceivingStream.straggling { self.end = nil }
        // A packet that cannot be parsed proves nothing here; the jitter buffer has counted it as malformed.
        guard let packet = try? RTPPacket(parsing: datagram), packet.header.ssrc == ssrc else { return false }
        guard let pause else { return true }
        // All packets of a new SSRC are new.
        guard pause.ssrc != ssrc || packet.header.sequenceNumber.isNewer(than: pause.last) else { return false }
        self.pause = nil
        return true
    }
}

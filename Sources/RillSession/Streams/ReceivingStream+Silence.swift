import RillCore
import RillRTP
import RillReceive
import RillState

extension ReceivingStream {
    /// What a stream's source has said of its silence: that it ends (BYE), or pauses (PAUSED).
    struct AnnouncedSilence {
        var end: MediaTime?
        var pause: Pause?
    }

    /// What PAUSED has said (RFC 7728 §8.2): nothing comes of this source behind that packet.
    struct Pause {
        var ssrc: SSRC
        var last: SequenceNumber
        /// We have asked for it.
        var isRequested: Bool
    }

    /// When its source said that it ends.
    var end: MediaTime? {
        get { announcedSilence?.end }
        set { announce(end: newValue, pause: pause) }
    }

    /// The other side sends nothing on it for a while, as its RTCP said.
    var pause: Pause? {
        get { announcedSilence?.pause }
        set { announce(end: end, pause: newValue) }
    }

    private func announce(end: MediaTime?, pause: Pause?) {
        announcedSilence = end == nil && pause == nil ? nil : AnnouncedSilence(end: end, pause: pause)
    }

    /// The other side sends nothing on it for a while by its own decision, by whatever it told that.
    var isMuted: Bool { isMutedBySignalling || pause?.isRequested == false }

    /// PAUSED has come of its source. One that later packets have overtaken says nothing any more.
    ///
    /// - Parameter isRequested: it answers our request. Whether who was muted already still is, it does not tell: then he is.
    func notePaused(behind last: SequenceNumber, isRequested: Bool) {
        guard let ssrc else { return }
        if let newest = receiver?.cell.state.newestSequenceNumber, newest.isNewer(than: last) { return }
        if let pause, pause.ssrc == ssrc, !last.isNewer(than: pause.last), !pause.isRequested || isRequested { return }
        pause = Pause(ssrc: ssrc, last: last, isRequested: isRequested)
    }

    /// A packet has come of one of its sources. An end is over when it is no straggler's; a pause, if the packet is of the stream's
    /// own source and none of those that PAUSED left behind.
    ///
    /// - Returns: whether it is such a packet: of the stream's own source, and of no pause that is known.
    func noteInSilence(_ datagram: Span<UInt8>, at now: MediaTime) -> Bool {
        if let end, now - end > ReceivingStream.straggling { self.end = nil }
        // What cannot be read says nothing here, and was counted as malformed by the jitter buffer.
        guard let packet = try? RTPPacket(parsing: datagram), packet.header.ssrc == ssrc else { return false }
        guard let pause else { return true }
        // Of another source than before all packets are new.
        guard pause.ssrc != ssrc || packet.header.sequenceNumber.isNewer(than: pause.last) else { return false }
        self.pause = nil
        return true
    }
}

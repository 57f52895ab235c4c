import RillCongestion
public import RillCore
import RillRTP
import RillReceive
import RillSend

// Paused streams: muted by their sender, or paused because the remote side does not want them (RFC 7728).

// MARK: - Sent streams

extension RTPSession {
    /// Mutes a stream that is sent, or resumes it; poll afterwards.
    ///
    /// Frames passed meanwhile are not sent. The remote side is notified with the next poll, and with each report
    /// while the stream is muted (PAUSED, RFC 7728 §8.2, if ``RTPSessionSettings/signalsMute``). The next packets
    /// show it that the stream resumes. That needs a key frame: ``SessionAction/makeKeyFrame(of:)``.
    ///
    /// - Parameters:
    ///   - isMuted: whether the stream is muted.
    ///   - id: the stream.
    ///   - now: the current time.
    public func setMuted(_ isMuted: Bool, of id: SendingStreamID, at now: MediaTime) {
        record { .muteSending(isMuted, of: id, at: now) }
        begin(at: now)
        guard let stream = sending[id.place], stream.isMuted != isMuted else { return }
        if isMuted, !stream.pauses.isPaused { stream.pauses.pauseByOurselves() }
        change(stream, at: now) { $0.isMuted = isMuted }
        // The user wants it to be sent (RFC 8083 §4.5).
        if !isMuted { restartBreaker(of: stream, at: now) }
    }

    /// Sets whether the remote side has paused a stream that is sent, as signaling reports it; poll afterwards.
    /// Requests in RTCP need no such call.
    public func setPaused(_ isPaused: Bool, of id: SendingStreamID, at now: MediaTime) {
        record { .pauseSending(isPaused, of: id, at: now) }
        begin(at: now)
        guard let stream = sending[id.place], stream.isPausedBySignalling != isPaused else { return }
        change(stream, at: now) { $0.isPausedBySignalling = isPaused }
    }

    /// Whether the remote side gets frames of a stream: not while it has paused it, or a circuit breaker has stopped
    /// it.
    package func isAccepted(_ id: SendingStreamID) -> Bool {
        sending[id.place].map { !$0.isPaused && !$0.isStopped } ?? false
    }

    /// Whether the remote side has paused a stream that is sent.
    public func isPaused(_ id: SendingStreamID) -> Bool { sending[id.place]?.isPaused ?? false }

    /// Changes whether, or why, a stream is silent. Events, a key frame request and the notification of the remote
    /// side follow.
    func change(
        _ stream: SendingStream, at now: MediaTime, _ body: (SendingStream) -> Void
    ) {
        let (wasPaused, wasSilent, wasTold) = (stream.isPaused, stream.isSilent, stream.isSilenceReported)
        body(stream)
        if stream.isSilenceReported != wasTold { silentCount += wasTold ? -1 : 1 }
        if stream.isPaused != wasPaused {
            events.append(stream.isPaused ? .pauseRequested(of: stream.id) : .resumeRequested(of: stream.id))
        }
        if stream.isSilenceReported { tellSilence(of: stream, at: now) }
        if wasPaused, !stream.isPaused, stream.isStopped {
            // Its receiver wants it again.
            stream.breaker.restart()
            stream.isStopped = false
            events.append(.sendingResumed(of: stream.id))
        }
        guard wasSilent, !stream.isSilent else { return }
        stream.resumption = SendingStream.Resumption()
        wantKeyFrame(of: stream)
    }

    /// Has the next poll report that the stream is paused.
    func tellSilence(of stream: SendingStream, at now: MediaTime) {
        stream.isSilenceUnreported = true
        speak(at: now)
    }

    /// Has the next poll check for pause messages to send.
    private func speak(at now: MediaTime) {
        arePausesDue = true
        areRequestsPossible = true
        wakeTime = min(wakeTime, now)
    }

    /// The stream has a new SSRC, for which no request was made: it resumes there.
    func resetPauses(of stream: SendingStream, at now: MediaTime) {
        change(stream, at: now) { stream in
            stream.pauses.reset()
            if stream.isMuted { stream.pauses.pauseByOurselves() }
        }
    }

    /// Handles a request to pause a stream, or to resume it.
    private func take(_ entry: PauseResume.Entry, asking stream: SendingStream, at now: MediaTime) {
        guard settings.acceptsPauseRequests else {
            stream.isRefusalDue = true
            return speak(at: now)
        }
        var pauses = stream.pauses
        let answer = entry.kind == .pause ? pauses.pause(entry.pauseID) : pauses.resume(entry.pauseID)
        // The stream stays silent all the same. A new PauseID shows the remote side that its request was received.
        if answer == .changed, stream.isMuted, !pauses.isPaused { pauses.pauseByOurselves() }
        change(stream, at: now) { $0.pauses = pauses }
        switch (entry.kind, answer) {
        case (.pause, .repeated): tellSilence(of: stream, at: now)
        case (.pause, .stale):
            stream.isRefusalDue = true
            speak(at: now)
        case (.resume, .repeated): resend(stream, at: now)
        case (.resume, .stale): if stream.isSilenceReported { tellSilence(of: stream, at: now) }
        default: break
        }
    }

    /// Handles a repeated RESUME of a stream that already resumed. If its first packets should have arrived by now,
    /// they were lost, and are retransmitted.
    private func resend(_ stream: SendingStream, at now: MediaTime) {
        if stream.isSilenceReported { return tellSilence(of: stream, at: now) }
        guard let start = stream.resumption?.start, let time = roundTrip.statistics.roundTripTime,
            now - start.time > time, now - start.time < RTPSession.longestResumption,
            let newest = stream.newestSequenceNumber
        else { return }
        let count = min(Int(newest.rawValue &- start.number.rawValue) + 1, RTPSession.maximumRetransmittedPackets)
        let numbers = (0..<count).map { SequenceNumber(start.number.rawValue &+ UInt16($0)) }
        sendPackets(of: stream, numberOffset: stream.sender.transportNumberOffset, .deltaFrame, at: now) {
            $0.retransmit(numbers, at: now, to: $1)
        } _: {
            $0.retransmit(numbers, at: now, to: $1)
        }
    }

    /// After this time the remote side NACKs missing packets.
    private static var longestResumption: MediaDuration { .seconds(2) }
    /// The most packets of a key frame to retransmit: a loss of all packets of a longer one is unlikely.
    private static var maximumRetransmittedPackets: Int { 32 }
}

// MARK: - Received streams

extension RTPSession {
    /// Sets whether the remote side has muted a stream, as signaling reports it. Silence alone proves nothing.
    /// Nothing is requested on a muted stream.
    ///
    /// If the remote side reports it in RTCP (PAUSED, RFC 7728 §8.2), this call is not needed: the first packet after
    /// the last one named there ends the pause. A mute set by signaling is only ended by signaling.
    ///
    /// - Parameters:
    ///   - isMuted: whether the stream is muted.
    ///   - id: the stream.
    public func setMuted(_ isMuted: Bool, of id: ReceivingStreamID) {
        record { .muteReceiving(isMuted, of: id) }
        guard let stream = receiving[id.place] else { return }
        change(stream) { stream in
            stream.isMutedBySignalling = isMuted
            if !isMuted { stream.pause = nil }
        }
    }

    /// Sets whether a stream is wanted; poll afterwards.
    ///
    /// If its sender supports pause requests (``RillReceive/StreamReceiverSettings/isPausable``), it is asked to
    /// pause, and later to resume with a key frame (PAUSE and RESUME, RFC 7728), until it does. Frames that arrive
    /// until it pauses are still decoded, so that nothing is missing if the stream is wanted again before. For any
    /// other sender, all packets are dropped while the stream is not wanted, and a key frame is requested when it is
    /// wanted again.
    ///
    /// - Parameters:
    ///   - isWanted: whether the stream is wanted.
    ///   - id: the stream.
    ///   - now: the current time.
    public func setWanted(_ isWanted: Bool, of id: ReceivingStreamID, at now: MediaTime) {
        record { .want(isWanted, of: id, at: now) }
        begin(at: now)
        guard let stream = receiving[id.place], stream.isWanted != isWanted else { return }
        stream.isWanted = isWanted
        if stream.settings.isPausable {
            stream.pauses.want(isWanted, at: now)
            arePausesDue = true
        }
        stream.applyWant(at: now)
        note(stream.wakeTime, of: stream)
    }

    /// Requests a key frame of a stream (PLI, RFC 4585 §6.3.1), as for someone who joins; poll afterwards. What the
    /// stream itself needs is requested without this call.
    ///
    /// What was requested a moment ago is not requested again: both are answered by the same key frame. Who forwards to
    /// many asks for all of them at once.
    ///
    /// - Parameters:
    ///   - id: the stream.
    ///   - now: the current time.
    /// - Returns: whether it is requested: not of an unknown stream, before its first packet, while it is muted or not
    ///   wanted, or too soon after the last request.
    @discardableResult
    public func requestKeyFrame(of id: ReceivingStreamID, at now: MediaTime) -> Bool {
        record { .requestKeyFrame(of: id, at: now) }
        guard !hasLeft, let stream = receiving[id.place], stream.lastArrival != nil, stream.isAsked,
            let receiver = stream.receiver, receiver.requestKeyFrame(at: now)
        else { return false }
        events.append(.keyFrameRequested(of: id))
        (stream.mayAsk, areRequestsPossible) = (true, true)
        // Written even while a frame of the stream is decoded.
        wakeTime = min(wakeTime, now)
        note(stream.wakeTime, of: stream)
        return true
    }

    /// Releases the stream's next frame as soon as it can be decoded, even before it is due: a picture of it is
    /// awaited.
    package func expedite(_ id: ReceivingStreamID, at now: MediaTime) {
        record { .expedite(id, at: now) }
        guard let stream = receiving[id.place] else { return }
        stream.receiver?.expedite(at: now)
        note(stream.wakeTime, of: stream)
    }

    /// Whether the remote side has muted a stream by its own decision, according to signaling or its RTCP.
    public func isMuted(_ id: ReceivingStreamID) -> Bool { receiving[id.place]?.isMuted ?? false }

    /// Whether a stream is wanted, which is the default.
    public func isWanted(_ id: ReceivingStreamID) -> Bool { receiving[id.place]?.isWanted ?? false }

    /// Receives a stream with other settings, from its next key frame on; the known SSRCs stay.
    package func change(_ settings: StreamReceiverSettings, of id: ReceivingStreamID, at now: MediaTime) {
        guard let stream = receiving[id.place] else { return }
        stream.change(settings, roundTripTime: roundTrip.statistics.roundTripTime, at: now)
        ssrcs.theirs.removeAll(of: id.place)
        for ssrc in stream.settings.sources where !ssrcs.theirs.contains(ssrc) { ssrcs.theirs.set(ssrc, to: id.place) }
        if let kind = settings.congestionFeedback { arrivals.report(kind, settings.jitterBuffer.headerExtensions) }
        if released == id { released = nil }
        note(stream.wakeTime, of: stream)
    }

    /// Handles PAUSED and REFUSED of streams that we receive, and requests for streams that we send.
    func take(_ message: borrowing PauseResume, at now: MediaTime) {
        var entries = message.entries
        while let entry = entries.next() {
            switch entry.kind {
            case .pause, .resume:
                guard let stream = ssrcs.own[entry.target].flatMap({ sending[$0] }),
                    stream.sender.settings.ssrc == entry.target
                else { continue }
                take(entry, asking: stream, at: now)
            case .paused(let last):
                guard let stream = theirStream(entry.target) else { continue }
                take(paused: SequenceNumber(UInt16(truncatingIfNeeded: last)), entry.pauseID, of: stream, at: now)
            case .refused:
                guard let stream = theirStream(entry.target) else { continue }
                stream.pauses.noteRefused(entry.pauseID, at: now)
                notePauses(of: stream)
            }
        }
    }

    private func theirStream(_ ssrc: SSRC) -> ReceivingStream? {
        guard let stream = ssrcs.theirs[ssrc].flatMap({ receiving[$0] }), stream.ssrc == ssrc else { return nil }
        return stream
    }

    private func take(
        paused last: SequenceNumber, _ number: UInt16, of stream: ReceivingStream, at now: MediaTime
    ) {
        // A sender that takes no requests only pauses by its own decision.
        let meaning = stream.settings.isPausable ? stream.pauses.notePaused(number, at: now) : .theirs
        if meaning != .stale { change(stream) { $0.notePaused(behind: last, isRequested: meaning == .ours) } }
        if meaning == .ours, stream.pauses.state == .paused { stream.holdNothing(behind: last, at: now) }
        notePauses(of: stream)
    }

    /// Notes that a pause request may be due.
    private func notePauses(of stream: ReceivingStream) {
        arePausesDue = arePausesDue || stream.pauses.deadline < .distantFuture
        note(stream.wakeTime, of: stream)
    }

    /// Handles a packet of a stream whose source announced silence, or was asked to pause or resume.
    @inline(never)
    func noteInSilence(_ datagram: Span<UInt8>, of stream: ReceivingStream, at now: MediaTime) {
        var isNewer = false
        change(stream) { isNewer = $0.noteInSilence(datagram, at: now) }
        guard isNewer, stream.pauses.isWaiting else { return }
        stream.pauses.notePacket(roundTripTime: stream.roundTripTime, at: now)
        notePauses(of: stream)
    }

    /// Changes the state of a stream, and reports if it becomes muted or unmuted.
    private func change(_ stream: ReceivingStream, _ body: (ReceivingStream) -> Void) {
        let wasMuted = stream.isMuted
        body(stream)
        guard stream.isMuted != wasMuted else { return }
        events.append(stream.isMuted ? .muted(stream.id) : .unmuted(stream.id))
    }
}

// MARK: - Messages of both directions

extension RTPSession {
    /// Writes PAUSED for our silent streams, and pause requests for theirs. With a report that is sent anyway it
    /// covers all silent streams, otherwise only those not reported yet.
    func writePauses(with isReport: Bool, at now: MediaTime) {
        arePausesDue = false
        var entries: [PauseResume.Entry] = []
        for index in sending.indices {
            guard let stream = sending[index] else { continue }
            writeSilence(of: stream, with: isReport, into: &entries)
        }
        for index in receiving.indices {
            guard let stream = receiving[index], let target = stream.ssrc else { continue }
            let time = stream.roundTripTime
            guard let request = stream.pauses.request(roundTripTime: time, at: now) else { continue }
            entries.append(PauseResume.Entry(target: target, kind: request.kind, pauseID: request.pauseID))
            note(stream.wakeTime, of: stream)
        }
        write(entries, at: now)
    }

    private func writeSilence(
        of stream: SendingStream, with isReport: Bool, into entries: inout [PauseResume.Entry]
    ) {
        let (target, pauseID) = (stream.sender.settings.ssrc, stream.pauses.pauseID)
        if stream.isRefusalDue {
            stream.isRefusalDue = false
            entries.append(PauseResume.Entry(target: target, kind: .refused(), pauseID: pauseID))
        }
        guard settings.signalsMute, stream.isSilenceReported, isReport || stream.isSilenceUnreported else { return }
        stream.isSilenceUnreported = false
        let last = stream.sender.extendedHighestSequenceNumber
        entries.append(PauseResume.Entry(target: target, kind: .paused(last: last), pauseID: pauseID))
    }

    private func write(_ entries: [PauseResume.Entry], at now: MediaTime) {
        var first = 0
        while first < entries.count {
            let needed = PauseResume(sender: source, entries: entries.span.extracting(first...first)).byteCount
            if rtcp.isEmpty || rtcp.room < needed {
                close(at: now)
                open(reporting: nil, isRequest: true, at: now)
            }
            let room = 1 + max(0, rtcp.room - needed) / RTPSession.pauseByteCount
            let end = min(first + room, entries.count)
            let message = PauseResume(sender: source, entries: entries.span.extracting(first..<end))
            rtcp.append(byteCount: message.byteCount) { message.write(into: &$0) }
            first = end
        }
    }

    /// The most bytes of a further entry in a message.
    private static var pauseByteCount: Int { 12 }
}

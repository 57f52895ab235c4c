import RillCongestion
public import RillCore
import RillRTP
import RillReceive
import RillSend

// Congestion control: the pacer between the streams and the datagrams, and feedback in both directions.

extension RTPSession {
    /// Passes packets of a stream to the pacer if there is one, otherwise to the datagrams.
    ///
    /// - Parameters:
    ///   - stream: the stream.
    ///   - numberOffset: the offset of the transport-wide sequence number in its packets.
    ///   - priority: that of its media packets.
    ///   - now: the current time.
    ///   - pace: passes them to the pacer.
    ///   - send: passes them to the datagrams.
    @inline(__always)
    @discardableResult
    func sendPackets<Result>(
        of stream: SendingStream, numberOffset: Int?, _ priority: PacketPriority, at now: MediaTime,
        pace: (inout RTPStreamSender, PacedDatagrams) -> Result,
        _ send: (inout RTPStreamSender, DatagramQueue) -> Result
    ) -> Result {
        guard let waiting else {
            datagrams.begin(stream.id.number, numberOffset: numberOffset)
            return send(&stream.sender, datagrams)
        }
        waiting.begin(stream.id.number, numberOffset: numberOffset, priority)
        let result = pace(&stream.sender, waiting)
        releasePaced(at: now)
        return result
    }

    /// Lets the packets leave whose time has come.
    func releasePaced(at now: MediaTime) {
        guard waiting != nil else { return }
        congestion?.release(at: now, to: datagrams)
        probe(at: now)
        recordDepartures(at: now)
        wakeTime = min(wakeTime, congestionTime)
    }

    /// When congestion control has something to do.
    var congestionTime: MediaTime {
        // A reference is asked first: it costs less than the value.
        waiting == nil ? .distantFuture : congestion?.wakeTime ?? .distantFuture
    }

    /// Sends a probe of the path if one is worth its bytes: packets of the newest stream that has RTX, once more.
    private func probe(at now: MediaTime) {
        guard let waiting, let cluster = congestion?.takeProbe(at: now) else { return }
        let needsNumber = congestion?.feedback != .byStream
        for index in sending.indices {
            guard let stream = sending[index], !stream.isSilent else { continue }
            let offset = stream.sender.transportNumberOffset
            if needsNumber, offset == nil { continue }
            waiting.begin(stream.id.number, numberOffset: offset, .deltaFrame, rate: cluster.rate)
            let (byteCount, count) = (cluster.byteCount, cluster.packetCount)
            let sent = stream.sender.sendProbe(byteCount: byteCount, packetCount: count, at: now, to: waiting)
            guard sent > 0 else { continue }
            congestion?.recordProbe()
            congestion?.release(at: now, to: datagrams)
            return
        }
    }

    /// Sets the bounds of the bitrate with congestion control from now on, as the layers have others.
    package func setBitrates(_ bounds: ClosedRange<Bitrate>, at now: MediaTime) {
        record { .setBitrates(bounds, at: now) }
        begin(at: now)
        congestion?.setBounds(bounds)
    }

    /// Requests a probe: whether the path carries a bitrate though less is sent. The estimate rises if it does. Poll
    /// afterwards.
    ///
    /// - Parameters:
    ///   - bitrate: the bitrate, with all headers.
    ///   - now: the current time.
    package func requestProbe(of bitrate: Bitrate, at now: MediaTime) {
        record { .requestProbe(of: bitrate, at: now) }
        begin(at: now)
        congestion?.requestProbe(of: bitrate)
        releasePaced(at: now)
    }

    /// What may be sent now: the bitrate for all streams together, and whether to leave out the next frame. Ask before
    /// each frame is encoded.
    ///
    /// - Parameter now: the current time.
    /// - Returns: `nil` without ``RTPSessionSettings/congestion``.
    public func allowance(at now: MediaTime) -> SendingAllowance? { congestion?.allowance(at: now) }

    /// The packets that wait for the pacer.
    package var pacedPacketCount: Int { congestion?.packetCount ?? 0 }

    /// Restarts congestion control: packets take another path from now on, as after a change of the interface. What
    /// was learned of the old one is forgotten, and the bitrate is at most the start bitrate.
    ///
    /// - Parameter now: the current time.
    public func restartCongestionControl(at now: MediaTime) {
        record { .restartCongestionControl(at: now) }
        begin(at: now)
        congestion?.restart(at: now)
        reportRateFeedback(at: now)
        restartBreakers(at: now)
    }

    /// Lets everything leave that waits, as the session ends.
    func releaseAll(at now: MediaTime) { if waiting != nil { congestion?.releaseAll(at: now, to: datagrams) } }

    /// Takes transport-wide feedback; `false` if the estimate does not follow that.
    func take(_ feedback: borrowing TransportFeedback, at now: MediaTime) -> Bool {
        guard congestion?.feedback == .transportWide else { return false }
        follow(isCut: congestion?.take(feedback, at: now) ?? false, at: now)
        reportRateFeedback(at: now)
        return true
    }

    /// Takes feedback by stream; `false` if the estimate does not follow that.
    func take(_ feedback: borrowing CongestionControlFeedback, at now: MediaTime) -> Bool {
        guard congestion?.feedback == .byStream else { return false }
        follow(isCut: congestion?.take(feedback, at: now) ?? false, at: now)
        reportRateFeedback(at: now)
        return true
    }

    /// Takes what a sender or receiver report says of our streams together.
    func adaptToReports(_ blocks: WireList<ReportBlock>, at now: MediaTime) {
        var (sum, isOnOurs) = (LossBasedEstimate.Report(), false)
        let wallClock = settings.wallClockAtZero.advanced(byNanoseconds: now.nanoseconds)
        for index in blocks.indices {
            let block = blocks[index]
            guard let stream = stream(of: block), let newest = stream.newestSequenceNumber else { continue }
            let first = stream.sender.settings.firstSequenceNumber
            let clockRate = stream.sender.settings.clockRate
            guard let progress = stream.reported.take(block, sent: (first, newest), at: wallClock) else { continue }
            isOnOurs = true
            sum.packetsExpected += progress.packetsExpected
            sum.packetsLost += progress.packetsLost
            sum.roundTripTime = progress.roundTripTime ?? sum.roundTripTime
            sum.jitter = max(
                sum.jitter, MediaDuration(nanoseconds: clockRate.wholeNanoseconds(of: Int64(block.jitter))))
        }
        guard isOnOurs else { return }
        for index in sending.indices {
            guard let stream = sending[index] else { continue }
            sum.packetsSent += stream.packetsPaced
            sum.bytesSent += stream.bytesPaced
        }
        let isCut = congestion?.take(sum, at: now) ?? false
        // A stall is the breakers' to count: it is not cut away.
        for index in sending.indices where isCut && sum.packetsExpected > 0 { sending[index]?.breaker.noteCut() }
        reportRateFeedback(at: now)
    }

    /// Takes the remote side's estimate of what the path carries (REMB), if it is about a stream of ours.
    func take(_ estimate: borrowing ReceiverEstimatedMaximumBitrate, at now: MediaTime) {
        events.append(.maximumBitrateEstimated(bitsPerSecond: estimate.bitrate))
        let sources = estimate.ssrcs
        guard waiting != nil, sources.indices.contains(where: { ssrcs.own.contains(sources[$0]) }) else { return }
        congestion?.take(maximum: estimate.bitrate, at: now)
        reportRateFeedback(at: now)
    }

    private func reportRateFeedback(at now: MediaTime) {
        if let feedback = congestion?.takeRateFeedback(at: now) { events.append(.rateFeedbackChanged(feedback)) }
    }

    /// Follows the estimate after feedback.
    private func follow(isCut: Bool, at now: MediaTime) {
        if isCut { giveUpFrames(at: now) }
        if let loss = congestion?.takePathLoss(at: now) { adaptRepair(to: loss) }
        releasePaced(at: now)
    }

    /// Protects the streams by FEC as the path's loss demands.
    private func adaptRepair(to loss: Double) {
        for index in sending.indices {
            guard let stream = sending[index] else { continue }
            stream.repair?.update(&stream.sender, loss: loss)
        }
    }

    /// Lowers the rate if feedback is missing for too long.
    func noticeSilence(at now: MediaTime) {
        guard waiting != nil, congestion?.isDue(at: now) == true else { return }
        if congestion?.update(at: now) == true { giveUpFrames(at: now) }
    }

    /// Overload: what waits would only lengthen the queue, and what is lost of a flood would be sent twice. The streams
    /// continue with a key frame.
    func giveUpFrames(at now: MediaTime) {
        let isFlooded = congestion?.takeFlood(at: now) ?? false
        for index in sending.indices {
            guard let stream = sending[index] else { continue }
            let isWaiting = congestion?.discardFrames(of: stream.id.number) ?? false
            guard isWaiting || isFlooded else { continue }
            wantKeyFrame(of: stream)
            congestion?.discardRetransmissions(of: stream.id.number)
            stream.sender.abandonPackets()
        }
    }

    // MARK: Receiving

    /// Takes note of an RTP packet, of any stream, for the remote side's congestion control.
    @inline(__always)
    package func noteArrival(of datagram: Span<UInt8>, at now: MediaTime) {
        if let due = arrivals.note(datagram, at: now), due < wakeTime { wakeTime = due }
    }

    /// Takes note of an RTP packet of a stream that is received, for the remote side's congestion control.
    @inline(__always)
    package func noteArrival(received datagram: Span<UInt8>, at now: MediaTime) {
        if let due = arrivals.note(received: datagram, at: now), due < wakeTime { wakeTime = due }
    }

    /// Writes the congestion feedback that is due, with a report that is sent anyway or in a datagram of its own.
    func writeCongestionFeedback(at now: MediaTime) {
        guard arrivals.dueTime <= now, let byteCount = arrivals.prepare() else { return }
        if rtcp.isEmpty || rtcp.room < byteCount {
            close(at: now)
            open(reporting: nil, isRequest: true, at: now)
        }
        var media: SSRC?
        for index in receiving.indices where media == nil { media = receiving[index]?.ssrc }
        let (source, about) = (source, media ?? SSRC(0))
        let wallClock = settings.wallClockAtZero.advanced(byNanoseconds: now.nanoseconds)
        rtcp.append(byteCount: byteCount) {
            arrivals.write(from: source, about: about, at: now, wallClock, into: &$0)
        }
    }
}

public import RillCore
public import RillPeer
import RillSession

/// What members want, and which of their slots shows it.
extension StreamForwarder {
    /// Tells what a member wants of a stream. A slot that is free shows it from its next key frame on; without one, the
    /// slot of the least important stream, if that is less important than this one.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - wish: what is wanted; `nil` for nothing.
    ///   - id: the member's session.
    ///   - now: the current time.
    /// - Throws: ``ForwardError/unknownSession``, ``ForwardError/unknownStream(_:)``,
    ///   ``ForwardError/noFreeSlot(limit:)``.
    public func want(
        _ name: String, _ wish: StreamWish?, for id: ICEPeerID, at now: MediaTime
    ) throws(ForwardError) {
        guard let member = members[id], !member.isViewer else { throw .unknownSession }
        guard let stream = streams[name] else {
            guard wish == nil else { throw .unknownStream(name) }
            return
        }
        member.nextChoice = now
        defer { choose(for: member, at: now) }
        if wish?.hasSound != true { want(soundOf: stream, false, member, at: now) }
        let present = member.slots.first { $0.stream === stream }
        guard let wish, wish.picture != .none else {
            if let present { assign(present, nil, at: now) }
            if wish?.hasSound == true { want(soundOf: stream, true, member, at: now) }
            return
        }
        guard let slot = present ?? member.freeSlot(forPriority: wish.priority) else {
            throw .noFreeSlot(limit: member.slots.count)
        }
        if slot.stream !== stream { assign(slot, stream, at: now) }
        slot.want(wish)
        updateInterest(in: stream, at: now)
        if wish.hasSound { want(soundOf: stream, true, member, at: now) }
    }

    /// Withholds a stream's pictures or its sound from everybody, or forwards them again: pictures from the next key
    /// frame on, which is asked for.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - pictures: whether its pictures are withheld; `nil` leaves that as it is.
    ///   - sound: whether its sound is.
    ///   - now: the current time.
    /// - Throws: ``ForwardError/unknownStream(_:)``.
    public func setMuted(
        _ name: String, pictures: Bool? = nil, sound: Bool? = nil, at now: MediaTime
    ) throws(ForwardError) {
        guard let stream = streams[name] else { throw .unknownStream(name) }
        if let sound { stream.isMuted.sound = sound }
        guard let pictures, pictures != stream.isMuted.pictures else { return }
        stream.isMuted.pictures = pictures
        guard !pictures else { return }
        // What was kept is of before.
        for index in stream.layers.indices { stream.layers[index].forget() }
        for slot in stream.subscriptions {
            slot.restart()
            members[slot.member]?.nextChoice = now
        }
        for index in stream.layers.indices where !stream.subscriptions.isEmpty { stream.layers[index].wantKeyFrame() }
        scheduleKeyFrameRequest(of: stream)
    }

    private func assign(_ slot: Subscription, _ stream: ForwardedStream?, at now: MediaTime) {
        let former = slot.stream
        slot.show(stream)
        if let former { updateInterest(in: former, at: now) }
        note(
            .slotChanged(named(slot.member), mid: mid(of: slot.sending, slot.member), kind: .video, shows: stream?.name)
        )
    }

    /// The section of a stream of a session.
    func mid(of stream: SendingStreamID, _ member: ICEPeerID) -> String {
        guard let peer = port[member],
            let sending = (peer.sendingStreams + peer.sendingSounds).first(where: { $0.id == stream })
        else { return "" }
        return peer.negotiator.transceivers.first { $0.id == sending.transceiver }?.mid ?? ""
    }

    /// A stream is over: its viewers end, and members' slots are free.
    func release(_ stream: ForwardedStream, at now: MediaTime) {
        for id in stream.audience { if let member = members[id] { want(soundOf: stream, false, member, at: now) } }
        for slot in stream.subscriptions {
            if members[slot.member]?.isViewer == true {
                end(slot.member, .streamEnded, at: now)
            } else {
                assign(slot, nil, at: now)
            }
        }
    }
}

extension Member {
    /// The slot for another stream: a free one, or that of the least important stream, if it is less important.
    fileprivate func freeSlot(forPriority priority: Int) -> Subscription? {
        if let free = slots.first(where: { $0.stream == nil }) { return free }
        let least = slots.min { $0.wish.priority < $1.wish.priority }
        return least.flatMap { $0.wish.priority < priority ? $0 : nil }
    }
}

import RillCore
import RillPeer
import RillSession

/// Layers that nobody wants: they are paused at their publisher.
///
/// What counts is what members want, not what their networks carry: a layer that is paused has no bitrate that could be
/// shared out. The smallest layer goes on whether somebody wants it or not: it is what a new subscriber gets first.
extension StreamForwarder {
    /// How often it is found out whether the smallest layer has stopped, so that others are wanted instead of it.
    private static let reviewInterval = KeyFrameRequester.stopTimeout

    /// Finds out which layers of all streams are wanted.
    func updateInterest(at now: MediaTime) {
        interestTime = .distantFuture
        for stream in streams.values { updateInterest(in: stream, at: now) }
    }

    /// Finds out which layers of the streams that a member is sent are wanted.
    func updateInterest(of member: ICEPeerID, at now: MediaTime) {
        for slot in members[member]?.slots ?? [] { if let stream = slot.stream { updateInterest(in: stream, at: now) } }
    }

    /// Finds out which layers of a stream are wanted, and has its publisher stop or resume them.
    func updateInterest(in stream: ForwardedStream, at now: MediaTime) {
        guard let publisher = stream.publisher, stream.layers.count > 1 else { return }
        let wanted = wantedLayers(of: stream, at: now)
        for index in stream.layers.indices {
            let change = stream.layers[index].update(isWanted: wanted.contains(index), at: now)
            if let change { tell(publisher, change, of: stream, index, at: now) }
            interestTime = min(interestTime, stream.layers[index].interest.deadline)
        }
        guard stream.layers.contains(where: \.interest.isStopped), !stream.subscriptions.isEmpty else { return }
        interestTime = min(interestTime, now + StreamForwarder.reviewInterval)
    }

    private func tell(
        _ publisher: ICEPeerID, _ change: LayerInterest.Change, of stream: ForwardedStream, _ index: Int,
        at now: MediaTime
    ) {
        let (id, name, isPausable) = (
            stream.layers[index].id, stream.layers[index].name, stream.layers[index].isPausable
        )
        // Who gets it may be sent it again.
        for slot in stream.subscriptions { members[slot.member]?.nextChoice = now }
        if isPausable {
            port.change(publisher) { $0.session?.setWanted(change == .resume, of: id, at: now) }
        } else {
            let session = named(publisher, stream)
            note(change == .resume ? .layerWanted(session, layer: name) : .layerUnwanted(session, layer: name))
        }
    }

    /// The layers that somebody wants, the smallest one, those of which nothing is known yet, and those that their
    /// publisher has stopped by itself.
    private func wantedLayers(of stream: ForwardedStream, at now: MediaTime) -> Set<Int> {
        let order = stream.order
        var wanted = Set(
            order.filter { stream.layers[$0].resolution == nil || !stream.layers[$0].isAvailable(at: now) })
        if let smallest = order.last(where: { stream.layers[$0].resolution != nil }) { wanted.insert(smallest) }
        for slot in stream.subscriptions {
            // One that is not connected yet will want it.
            if let peer = port[slot.member], peer.state == .connected,
                peer.session?.isAccepted(slot.sending) == false
            {
                continue
            }
            let usable = order.filter { slot.codecs.contains(stream.layers[$0].codec) }
            if let named = slot.requested.flatMap(stream.find), usable.contains(named),
                stream.layers[named].isAvailable(at: now)
            {
                wanted.insert(named)
            } else {
                wanted.formUnion(slot.wish.suitable(of: stream, usable) { $0.isAvailable(at: now) })
            }
        }
        return wanted
    }
}

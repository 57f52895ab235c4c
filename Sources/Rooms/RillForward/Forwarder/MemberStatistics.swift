public import RillCore
public import RillPeer
import RillSession

/// What a member of a room is sent, and why.
public struct MemberStatistics: Equatable, Sendable {
    /// What its network carries, by the estimate; `nil` before that is known.
    public var availableBitrate: Bitrate?
    /// The time of a packet to it and back; `nil` before that is known.
    public var roundTripTime: MediaDuration?
    /// What it was sent.
    public var forwarded: ForwardCounts
    /// Its slots that show something.
    public var slots: [SlotStatistics]
}

/// What a slot shows, and why.
public struct SlotStatistics: Equatable, Sendable {
    /// Why a slot shows the layer that it shows.
    public enum Reason: String, Sendable {
        /// It is what is wanted.
        case wanted
        /// The member chose it by name.
        case chosen
        /// The network does not carry a better one, or has not shown for long enough that it does.
        case network
        /// Its publisher sends no better one.
        case publisher
        /// Its key frame has not come yet.
        case keyFrame
        /// None: the network does not carry the smallest one.
        case paused
    }

    /// The section of the member's description.
    public var mid: String
    /// The stream that it shows.
    public var stream: String
    /// The layer that it is sent; `nil` for none.
    public var layer: String?
    /// Why.
    public var reason: Reason
}

extension StreamForwarder {
    /// What a member is sent; `nil` for an unknown session.
    ///
    /// - Parameters:
    ///   - id: the member's session.
    ///   - now: the current time.
    public func memberStatistics(of id: ICEPeerID, at now: MediaTime) -> MemberStatistics? {
        guard let member = members[id] else { return nil }
        let session = port[id]?.session
        return MemberStatistics(
            availableBitrate: session?.allowance(at: now)?.bitrate,
            roundTripTime: session?.statistics.roundTrip.roundTripTime, forwarded: member.counts,
            slots: member.slots.compactMap { slot in
                slot.stream.map { stream in
                    SlotStatistics(
                        mid: mid(of: slot.sending, id), stream: stream.name,
                        layer: slot.current.map { stream.layers[$0].name }, reason: slot.reason(in: stream, at: now))
                }
            })
    }
}

extension Subscription {
    fileprivate func reason(in stream: ForwardedStream, at now: MediaTime) -> SlotStatistics.Reason {
        if isPaused { return .paused }
        guard let current else { return .keyFrame }
        if requested != nil { return .chosen }
        let sent = stream.order.filter { layer in
            codecs.contains(stream.layers[layer].codec) && stream.layers[layer].rates(at: now).frames > 0
        }
        // The smallest that suffices; else the best that there is.
        let best = sent.last { wish.isSmall(stream.layers[$0]) } ?? sent.first
        guard current == best || best == nil else { return .network }
        return wish.picture == .high || wish.isSmall(stream.layers[current]) ? .wanted : .publisher
    }
}

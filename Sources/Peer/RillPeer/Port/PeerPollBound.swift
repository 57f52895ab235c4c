import RillCore

/// Bounds how often one peer of many is served in one poll without anything that is returned.
///
/// A peer is served until it has nothing to do, and then the next one: so its iterations follow each other. How many
/// peers there are does not matter.
package struct PeerPollBound {
    private var bound = PollBound(limit)
    private var peer: ICEPeerID?

    /// The iterations of one peer at most: more than a stream's frames, events or packets that can wait.
    package static let limit = 1 << 14

    package init() {}

    /// The iterations so far of the last peer.
    package var count: Int { bound.count }

    /// Registers an iteration of a peer; returns `false` if it is the last one.
    package mutating func take(_ id: ICEPeerID) -> Bool {
        if peer != id { (peer, bound) = (id, PollBound(PeerPollBound.limit)) }
        return bound.take()
    }
}

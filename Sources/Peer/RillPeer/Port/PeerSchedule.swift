package import RillCore

/// Which of many peers must be polled: those to which something happened, and those whose time has come.
package struct PeerSchedule {
    private var ready: [ICEPeerID] = []
    private var areReady: Set<ICEPeerID> = []
    private var wakeQueue = WakeQueue()

    package init() {}

    /// A peer that may have something to do now. It stays the next one until it ``rest(_:until:)``s.
    package var next: ICEPeerID? { ready.last }
    /// When the next peer's time comes, if nothing happens before.
    package var wakeTime: MediaTime { wakeQueue.next }

    /// Notes that something happened to a peer.
    package mutating func note(_ id: ICEPeerID) {
        if areReady.insert(id).inserted { ready.append(id) }
    }

    /// Notes the peers whose time has come.
    package mutating func wake(at now: MediaTime) {
        while let id = wakeQueue.takeDue(at: now) { note(id) }
    }

    /// Notes that a peer has nothing to do until that time.
    package mutating func rest(_ id: ICEPeerID, until time: MediaTime) {
        leave(id)
        wakeQueue.schedule(id, at: time)
    }

    /// Forgets a peer.
    package mutating func remove(_ id: ICEPeerID) {
        leave(id)
        wakeQueue.remove(id)
    }

    private mutating func leave(_ id: ICEPeerID) {
        guard areReady.remove(id) != nil else { return }
        if ready.last == id { ready.removeLast() } else { ready.removeAll { $0 == id } }
    }
}

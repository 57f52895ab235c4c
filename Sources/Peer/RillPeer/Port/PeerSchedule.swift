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

/// When each agent must be polled: a binary heap with the earliest time first.
///
/// An agent has one time that counts. A later one is only noted when the earlier one is due, so that an agent which
/// keeps putting off its timeout costs nothing. Entries that no longer count are skipped, and removed once they are the
/// majority.
struct WakeQueue {
    private var heap: [Entry] = []
    private var times: [ICEPeerID: MediaTime] = [:]

    private struct Entry {
        let time: MediaTime
        let peer: ICEPeerID
    }

    /// The earliest time, `distantFuture` for none. The agent may have put it off.
    var next: MediaTime { heap.first?.time ?? .distantFuture }

    /// Notes that an agent must be polled at that time, or earlier.
    mutating func schedule(_ peer: ICEPeerID, at time: MediaTime) {
        if let known = times[peer], known <= time { return }
        guard time != .distantFuture else { return }
        times[peer] = time
        insert(Entry(time: time, peer: peer))
        if heap.count > 2 * times.count + 16 { compact() }
    }

    /// Takes an agent whose time has come; `nil` if there is none.
    mutating func takeDue(at now: MediaTime) -> ICEPeerID? {
        while let first = heap.first, first.time <= now {
            removeFirst()
            guard times[first.peer] == first.time else { continue }
            times[first.peer] = nil
            return first.peer
        }
        return nil
    }

    mutating func remove(_ peer: ICEPeerID) {
        times[peer] = nil
        if heap.count > 2 * times.count + 16 { compact() }
    }

    private mutating func compact() {
        let entries = heap
        heap.removeAll(keepingCapacity: true)
        // In the order of the heap, not of the dictionary, which differs from run to run.
        for entry in entries where times[entry.peer] == entry.time { insert(entry) }
    }

    /// How many entries there are, those that no longer count included.
    var entryCount: Int { heap.count }

    // MARK: Heap

    private mutating func insert(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, entry.time < heap[(child - 1) / 2].time {
            heap[child] = heap[(child - 1) / 2]
            child = (child - 1) / 2
        }
        heap[child] = entry
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        let count = heap.count
        guard count > 0 else { return }
        // The last entry goes down from the top, until both below it are later.
        var parent = 0
        while true {
            var child = 2 * parent + 1
            if child + 1 < count, heap[child + 1].time < heap[child].time { child += 1 }
            guard child < count, heap[child].time < last.time else { break }
            heap[parent] = heap[child]
            parent = child
        }
        heap[parent] = last
    }
}

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

import RillCore

// The check list (RFC 8445 §6.1.2): pairs of candidates, without duplicates. Pairs are found by their number or path;
// an agent has few enough of them to look through.
//
// What looks for a pair changes nothing but is `mutating`: Swift 6.3 copies the whole agent, 400 bytes, to lend it to a
// nonmutating method. That took 64 instructions of each datagram of media, and 400 of a check.
extension ICEAgentCore {
    var selectedIndex: Int? {
        mutating get {
            guard let selectedID else { return nil }
            return index(of: selectedID)
        }
    }

    mutating func index(of id: Int) -> Int? { pairs.firstIndex { $0.id == id } }

    /// The pair of a path in a generation.
    mutating func index(of path: ICEPath, in generation: ICEGeneration) -> Int? {
        pairs.firstIndex { $0.path == path && $0.generation === generation }
    }

    /// A pair of the path from which a check was answered. The selected one is tried first.
    mutating func validatedIndex(_ path: ICEPath) -> Int? {
        if let selected = selectedIndex, pairs[selected].path == path { return selected }
        return pairs.firstIndex { $0.isValidated && $0.path == path }
    }

    /// Whether a pair belongs to the current generation.
    func isCurrent(_ index: Int) -> Bool { pairs[index].generation === generation }

    /// Pairs two candidates, unless they cannot reach each other, or an equal pair exists (RFC 8445 §6.1.2.4: two local
    /// candidates of one socket send from the same address).
    mutating func pair(_ local: Local, _ remote: ICECandidate) {
        let path = ICEPath(socket: local.socket, remote.address)
        guard local.candidate.address.ip.isV6 == remote.address.ip.isV6,
            index(of: path, in: generation) == nil
        else { return }
        let new = makePair(local.candidate, remote, on: path, .waiting)
        guard pairs.count < settings.maximumPairCount || evict(for: new.priority) else { return }
        pairs.append(new)
        let isHeldBack = pairs.contains {
            $0.id != new.id && $0.generation === generation && $0.hasFoundation(of: new)
                && ($0.state == .waiting || $0.state == .inProgress)
        }
        if isHeldBack { pairs[pairs.count - 1].state = .frozen }
    }

    mutating func makePair(_ local: ICECandidate, _ remote: ICECandidate, on path: ICEPath, _ state: ICEPairState)
        -> ICEPair
    {
        var pair = ICEPair(
            id: makePairID(), path: path, generation: generation, local: local, remote: remote, state: state,
            lastHeard: MediaTime(nanoseconds: .min))
        pair.priority = ICEPair.priority(local, remote, role)
        return pair
    }

    /// Notes that a remote address is announced which was known, perhaps from a check. Returns whether that is new.
    mutating func announce(_ candidate: ICECandidate, discoveredAs index: Int) -> Bool {
        guard remoteCandidates[index].kind == .peerReflexive, candidate.kind != .peerReflexive else { return false }
        remoteCandidates[index] = candidate
        for place in pairs.indices where isCurrent(place) && pairs[place].remote.address == candidate.address {
            pairs[place].remote = candidate
            pairs[place].priority = ICEPair.priority(pairs[place].local, candidate, role)
        }
        return true
    }

    // MARK: Peer-reflexive candidates

    /// The pair of a path on which an authenticated request came; a new one, if the address was not announced (RFC 8445
    /// §7.3.1.3). `nil` if there is no room.
    mutating func learn(_ path: ICEPath, priority: UInt32) -> Int? {
        if let index = index(of: path, in: generation) { return index }
        guard let local = local(of: path), makeRoomForReflexive() else { return nil }
        // RFC 8445 §7.3.1.3: a foundation that differs from all others.
        var remote = ICECandidate(.peerReflexive, path.remote, foundation: "prflx/\(makePairID())")
        remote.priority = priority
        if let known = remoteCandidates.first(where: { $0.address == path.remote }) {
            remote = known
        } else {
            remoteCandidates.append(remote)
            events.append(.peerReflexiveDiscovered(remote))
        }
        pairs.append(makePair(local.candidate, remote, on: path, .waiting))
        return pairs.count - 1
    }

    /// The local candidate of a path's socket, if possible one of the same IP version.
    mutating func local(of path: ICEPath) -> Local? {
        locals.first { $0.socket == path.socket && $0.candidate.address.ip.isV6 == path.remote.ip.isV6 }
            ?? locals.first { $0.socket == path.socket }
    }

    // MARK: Roles

    mutating func setRole(_ new: ICERole) {
        guard new != role else { return }
        role = new
        for index in pairs.indices where isCurrent(index) {
            pairs[index].priority = ICEPair.priority(pairs[index].local, pairs[index].remote, new)
        }
        (nominatingID, nominationDeadline) = (nil, nil)
    }
}

// Which pairs make room for others, where there are as many as the settings allow.
extension ICEAgentCore {
    /// How a pair is worth keeping: the lowest goes first.
    private enum Worth: Int, Comparable {
        case failed
        /// The other side announced the address, and nothing came from there.
        case announced
        /// A request came from there, and no answer.
        case heard
        case validated

        static func < (one: Worth, other: Worth) -> Bool { one.rawValue < other.rawValue }
    }

    private func worth(of pair: ICEPair) -> Worth {
        if pair.isValidated { return .validated }
        if pair.state == .failed { return .failed }
        return pair.isHeard ? .heard : .announced
    }

    /// The pair that goes first of those that `isEligible`: of equal worth, the one of the lowest priority if nothing
    /// came from it, or else the one that was silent for longest.
    private func leastWorthy(_ isEligible: (ICEPair) -> Bool = { _ in true }) -> Int? {
        pairs.indices.filter {
            pairs[$0].id != selectedID && pairs[$0].id != nominatingID && isEligible(pairs[$0])
        }.min { one, other in
            let (first, second) = (worth(of: pairs[one]), worth(of: pairs[other]))
            if first != second { return first < second }
            return first == .announced
                ? pairs[one].priority < pairs[other].priority : pairs[one].lastHeard < pairs[other].lastHeard
        }
    }

    private mutating func evict(_ index: Int) {
        counts.pairsEvicted += 1
        let pair = pairs.remove(at: index)
        triggered.removeAll { $0 == pair.id }
        if !pairs.contains(where: { $0.remote.address == pair.remote.address }) {
            remoteCandidates.removeAll { $0.address == pair.remote.address }
        }
    }

    /// Makes room for a pair that was announced: in place of one that failed, or of one of lower priority from which
    /// nothing came (RFC 8445 §6.1.2.5).
    mutating func evict(for priority: UInt64) -> Bool {
        guard let index = leastWorthy() else { return false }
        switch worth(of: pairs[index]) {
        case .failed: break
        case .announced: guard pairs[index].priority < priority else { return false }
        case .heard, .validated: return false
        }
        evict(index)
        return true
    }

    /// Makes room for an address from which an authentic request came: that is worth more than what was only announced.
    mutating func makeRoomForReflexive() -> Bool {
        let count = pairs.indices.count { isCurrent($0) && pairs[$0].remote.kind == .peerReflexive }
        let current = generation
        if count >= settings.maximumReflexiveCount {
            guard let index = leastWorthy({ $0.generation === current && $0.remote.kind == .peerReflexive }) else {
                return false
            }
            evict(index)
        } else if pairs.count >= settings.maximumPairCount {
            guard let index = leastWorthy() else { return false }
            evict(index)
        }
        return true
    }

    /// Makes room among the remote candidates for one that was announced.
    mutating func makeRoom(for candidate: ICECandidate) -> Bool {
        // Those of no pair: no local candidate has their version of IP.
        if remoteCandidates.count >= settings.maximumPairCount {
            remoteCandidates.removeAll { candidate in !pairs.contains { $0.remote.address == candidate.address } }
        }
        let priority = locals.map { ICEPair.priority($0.candidate, candidate, role) }.max() ?? 0
        while remoteCandidates.count >= settings.maximumPairCount {
            guard evict(for: priority) else { return false }
        }
        return true
    }
}

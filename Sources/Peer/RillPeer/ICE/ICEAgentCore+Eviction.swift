import RillCore

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

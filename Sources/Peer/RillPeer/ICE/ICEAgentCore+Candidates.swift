import RillCore

// What signaling says (RFC 8445 §5, RFC 8838).
extension ICEAgentCore {
    mutating func addLocalCandidate(_ address: UDPAddress, socket: Int) throws(ICEError) -> ICECandidate {
        guard locals.count < ICEAgent.maximumLocalCandidateCount else {
            throw .tooManyCandidates(limit: ICEAgent.maximumLocalCandidateCount)
        }
        guard !locals.contains(where: { $0.candidate.address == address && $0.socket == socket }) else {
            throw .duplicateCandidate(address)
        }
        // RFC 8445 §5.1.1.3: one foundation for each address of a host, whatever the port.
        let foundation = locals.first { $0.candidate.address.ip == address.ip }?.candidate.foundation
        let candidate = ICECandidate(
            .host, address, foundation: foundation ?? "\(locals.count + 1)",
            localPreference: .max - UInt16(locals.count))
        locals.append(Local(candidate: candidate, socket: socket))
        for remote in remoteCandidates { pair(locals[locals.count - 1], remote) }
        return candidate
    }

    mutating func setRemote(_ credentials: ICECredentials, isLite: Bool, at now: MediaTime) throws(ICEError) {
        guard generation.remote == nil || generation.remote == credentials else { throw .changedCredentials }
        isRemoteLite = isLite
        if isLite { setRole(.controlling) }
        guard generation.remote == nil else { return }
        generation.setRemote(credentials)
        agree()
        announcedBudget.receive(ICEPathBudget.descriptionByteCount)
        begin(at: now)
    }

    mutating func addRemoteCandidate(_ candidate: ICECandidate, at now: MediaTime) -> Bool {
        guard state != .failed else { return false }
        if let fragment = candidate.usernameFragment, let remote = generation.remote,
            fragment != remote.usernameFragment
        {
            return false
        }
        if let index = remoteCandidates.firstIndex(where: { $0.address == candidate.address }) {
            return announce(candidate, discoveredAs: index)
        }
        guard makeRoom(for: candidate) else {
            counts.candidatesIgnored += 1
            return false
        }
        announcedBudget.receive(candidate.text.utf8.count)
        remoteCandidates.append(candidate)
        for local in locals { pair(local, candidate) }
        if let deadline = connectDeadline { connectDeadline = max(deadline, now + settings.connectTimeout) }
        return true
    }

    mutating func endRemoteCandidates() {
        if let startTime, connectDeadline != nil { connectDeadline = startTime + settings.connectTimeout }
    }
}

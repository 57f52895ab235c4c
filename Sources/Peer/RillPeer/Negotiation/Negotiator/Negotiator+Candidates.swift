import RillRTP

extension Negotiator {
    /// Takes a candidate of the other side that trickled in (RFC 8840, RFC 9429 §4.1.20).
    ///
    /// - Parameters:
    ///   - text: the candidate; the empty text, or `end-of-candidates`, says that none follow.
    ///   - mid: the MID of its section.
    ///   - index: the index of its section, which counts if there is no `mid`.
    ///   - usernameFragment: the generation that it belongs to, if known.
    /// - Returns: the candidate; `nil` at the end of candidates.
    /// - Throws: `closed`, `noRemoteDescription`, `unknownSection`, `otherGeneration` or `invalidCandidate`.
    public func addRemoteCandidate(
        _ text: String, mid: String?, index: Int? = nil, usernameFragment: String? = nil
    ) throws(NegotiationError) -> ICECandidateText? {
        guard signalingState != .closed else { throw .closed }
        guard let remote = remoteDescription, let remoteTransport else { throw .noRemoteDescription }
        let position = mid.map { mid in remote.media.firstIndex { $0.mid == mid } } ?? index
        // Without a name and a number it is for the transport; there is only one.
        guard position.map(remote.media.indices.contains) ?? (mid == nil && index == nil) else {
            throw .unknownSection(mid: mid, index: index)
        }
        if let usernameFragment, usernameFragment != remoteTransport.credentials.usernameFragment {
            throw .otherGeneration(usernameFragment: usernameFragment)
        }
        let isEnd = ["", "end-of-candidates", "a=end-of-candidates"].contains(text)
        let candidate: ICECandidateText?
        do throws(ICEError) {
            candidate = isEnd ? nil : try ICECandidateText(parsing: text)
        } catch {
            throw .invalidCandidate(error)
        }
        if case .candidate(let one) = candidate, let fragment = one.usernameFragment,
            fragment != remoteTransport.credentials.usernameFragment
        {
            throw .otherGeneration(usernameFragment: fragment)
        }
        if let position, hasOtherTransport(remote.media[position], position) { return .ignored(.section(position)) }
        return candidate
    }

    /// Whether a section is described with a transport that the answer gives up: a browser gathers candidates for each
    /// section of a first offer, until an answer bundles them.
    private func hasOtherTransport(_ media: MediaDescription, _ index: Int) -> Bool {
        guard signalingState == .haveRemoteOffer || signalingState == .haveLocalProvisionalAnswer else { return false }
        guard index != transportIndex, !sections.contains(where: { $0.index == index }) else { return false }
        return !media.otherAttributes.contains { $0.name == "bundle-only" }
    }
}

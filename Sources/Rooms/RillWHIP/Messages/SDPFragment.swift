/// A fragment of a session description: candidates that are trickled, or the credentials of an ICE restart (RFC 8840
/// §9, `application/trickle-ice-sdpfrag`).
public struct SDPFragment: Equatable, Sendable {
    /// ice-ufrag, 4 to 256 characters; `nil` if the fragment has none.
    public var usernameFragment: String?
    /// ice-pwd, 22 to 256 characters; `nil` if the fragment has none.
    public var password: String?
    /// The sections with their candidates, in order.
    public var sections: [Section]

    /// The candidates of one section.
    public struct Section: Equatable, Sendable {
        /// The section's identification; `nil` if the fragment names none.
        public var mid: String?
        /// The candidates as `RTCIceCandidate.candidate` has them: `candidate:…`.
        public var candidates: [String]
        /// Whether these are all candidates (end-of-candidates).
        public var isEnd: Bool

        /// A section with these parts.
        public init(mid: String?, candidates: [String] = [], isEnd: Bool = false) {
            (self.mid, self.candidates, self.isEnd) = (mid, candidates, isEnd)
        }
    }

    /// A fragment with these parts.
    public init(usernameFragment: String? = nil, password: String? = nil, sections: [Section] = []) {
        (self.usernameFragment, self.password, self.sections) = (usernameFragment, password, sections)
    }
}

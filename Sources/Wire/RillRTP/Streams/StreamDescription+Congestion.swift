extension StreamDescription {
    /// A kind of feedback for congestion control. Both report arrivals, with different numbers.
    public enum CongestionFeedback: Sendable, Hashable, CaseIterable {
        /// ``TransportFeedback``: by a number that all packets of the transport carry in a header extension; times in
        /// steps of 250 µs.
        case transportWide
        /// ``CongestionControlFeedback``: by the sequence numbers of the streams (RFC 8888); times in steps of 1/1024
        /// s, and ECN marks.
        case byStream
    }

    /// Allows a kind too, as an offer or for the receiver of the stream.
    package mutating func allow(_ kind: CongestionFeedback) {
        switch kind {
        case .transportWide: feedback.insert(.transportWideCongestionControl)
        case .byStream: feedback.insert(.congestionControlFeedback)
        }
    }

    /// The kinds that the description allows. Transport-wide feedback needs the extension that numbers the packets.
    public var congestionFeedback: Set<CongestionFeedback> {
        var kinds: Set<CongestionFeedback> = []
        if feedback.contains(.congestionControlFeedback) { kinds.insert(.byStream) }
        if feedback.contains(.transportWideCongestionControl), headerExtensions[.transportSequenceNumber] != nil {
            kinds.insert(.transportWide)
        }
        return kinds
    }

    /// Leaves one kind of congestion feedback, as an answer to an offer of both should: feedback of both kinds would
    /// cost twice.
    ///
    /// Without transport-wide feedback its header extension goes too. A stream that allows none or one kind keeps what
    /// it has, but for transport-wide feedback without the extension.
    ///
    /// - Parameter preferred: the kind to keep if both are allowed; transport-wide by default, whose times are four
    ///   times finer.
    /// - Returns: the kind that is left; `nil` if none is allowed.
    @discardableResult
    public mutating func chooseCongestionFeedback(
        _ preferred: CongestionFeedback = .transportWide
    ) -> CongestionFeedback? {
        let allowed = congestionFeedback
        let choice = allowed.contains(preferred) ? preferred : allowed.first
        if choice != .byStream { feedback.remove(.congestionControlFeedback) }
        if choice != .transportWide {
            feedback.remove(.transportWideCongestionControl)
            headerExtensions.remove(.transportSequenceNumber)
        }
        return choice
    }
}

import RillCore

extension LinkSettings {
    /// The names of the settings, as the text spells them.
    public enum Name: String, Sendable, CaseIterable {
        /// ``LinkSettings/loss``.
        case loss
        /// ``LinkSettings/delay``.
        case delay
        /// ``LinkSettings/jitter``.
        case jitter
        /// ``LinkSettings/reorder``.
        case reorder
        /// ``LinkSettings/reorderDelay``.
        case reorderDelay = "reorder-delay"
        /// ``LinkSettings/duplicate``.
        case duplicate
        /// ``LinkSettings/rate``.
        case rate
        /// ``LinkSettings/queueLimit``.
        case queue
        /// ``LinkSettings/seed``.
        case seed

        /// A value to show to one who gave none.
        var example: String {
            switch self {
            case .loss: "2%"
            case .delay, .reorderDelay: "40ms"
            case .jitter: "10ms"
            case .reorder: "1%"
            case .duplicate: "0.5%"
            case .rate: "2M"
            case .queue: "300ms"
            case .seed: "7"
            }
        }
    }

    /// Settings as the command line writes them: names and values in any order, each at most once.
    ///
    ///     loss=2%,delay=40ms,jitter=10ms,reorder=1%,reorder-delay=40ms,duplicate=0.5%,rate=2M,queue=300ms,seed=7
    ///
    /// What is left out has its default; the empty text is a perfect link. ``description`` writes the same grammar.
    ///
    /// - Throws: a ``NetworkError`` that names the setting, what stands there and what was expected.
    public init(notation text: some StringProtocol) throws(NetworkError) {
        self.init()
        var seen = Set<Name>()
        guard !text.isEmpty else { return }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Name(rawValue: String(sides[0])) else { throw .unknownSetting(String(part)) }
            guard sides.count == 2, !sides[1].isEmpty else { throw .missingValue(name) }
            guard seen.insert(name).inserted else { throw .repeatedSetting(name) }
            try set(name, to: String(sides[1]))
        }
        try validate()
    }

    private mutating func set(_ name: Name, to value: String) throws(NetworkError) {
        if name == .seed {
            // `UInt64` would take a plus sign, which the rest of the grammar does not.
            guard value.first != "+", let seed = UInt64(value) else { throw .invalidSeed(value) }
            self.seed = seed
            return
        }
        do throws(NotationError) {
            switch name {
            case .loss: loss = try Percentage(notation: value)
            case .delay: delay = try MediaDuration(notation: value)
            case .jitter: jitter = try MediaDuration(notation: value)
            case .reorder: reorder = try Percentage(notation: value)
            case .reorderDelay: reorderDelay = try MediaDuration(notation: value)
            case .duplicate: duplicate = try Percentage(notation: value)
            case .rate: rate = try Bitrate(notation: value)
            case .queue: queueLimit = try MediaDuration(notation: value)
            case .seed: break
            }
        } catch {
            throw .invalidValue(name, error)
        }
    }
}

extension LinkSettings: CustomStringConvertible {
    /// What differs from a perfect link, and always the seed, in the grammar of ``init(notation:)``.
    public var description: String {
        let clean = LinkSettings.clean
        var parts: [(Name, String)] = []
        if loss != clean.loss { parts.append((.loss, loss.description)) }
        if delay != clean.delay { parts.append((.delay, delay.notation)) }
        if jitter != clean.jitter { parts.append((.jitter, jitter.notation)) }
        if reorder != clean.reorder { parts.append((.reorder, reorder.description)) }
        if reorderDelay != clean.reorderDelay { parts.append((.reorderDelay, reorderDelay.notation)) }
        if duplicate != clean.duplicate { parts.append((.duplicate, duplicate.description)) }
        if let rate { parts.append((.rate, rate.description)) }
        if let queueLimit { parts.append((.queue, queueLimit.notation)) }
        parts.append((.seed, String(seed)))
        return parts.map { "\($0.rawValue)=\($1)" }.joined(separator: ",")
    }
}

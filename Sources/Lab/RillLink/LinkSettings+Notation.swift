import RillCore

extension LinkSettings {
    /// The names of the settings in the notation.
    public enum Name: String, Sendable, CaseIterable {
        /// ``LinkSettings/loss``.
        case loss
        /// ``LinkSettings/burst``.
        case burst
        /// ``LinkSettings/blackouts``.
        case blackout
        /// ``LinkSettings/delay``.
        case delay
        /// ``LinkSettings/jitter``.
        case jitter
        /// ``LinkSettings/spikes``.
        case spikes
        /// ``LinkSettings/wifi``.
        case wifi
        /// ``LinkSettings/order``.
        case order
        /// ``LinkSettings/reorder``.
        case reorder
        /// ``LinkSettings/reorderDelay``.
        case reorderDelay = "reorder-delay"
        /// ``LinkSettings/duplicate``.
        case duplicate
        /// ``LinkSettings/duplicateDelay``.
        case duplicateDelay = "duplicate-delay"
        /// ``LinkSettings/corrupt``.
        case corrupt
        /// ``LinkSettings/rate``.
        case rate
        /// ``LinkSettings/trace``.
        case trace
        /// ``LinkSettings/queueLimit``.
        case queue
        /// ``LinkSettings/headerByteCount``.
        case headers
        /// ``LinkSettings/crossTraffic``.
        case cross
        /// ``LinkSettings/crossPacketByteCount``.
        case crossSize = "cross-size"
        /// ``LinkSettings/cubicFlows``.
        case cubic
        /// ``LinkSettings/seed``.
        case seed

        /// An example value, for error messages and completions.
        package var example: String {
            switch self {
            case .loss: "2%"
            case .burst: "5%/3"
            case .blackout: "2s@30s"
            case .delay, .reorderDelay: "40ms"
            case .jitter: "10ms"
            case .spikes: "250ms/30s"
            case .wifi: "2ms/500ms"
            case .order: "by-delay"
            case .reorder: "1%"
            case .duplicate: "0.5%"
            case .duplicateDelay: "1ms"
            case .corrupt: "0.1%"
            case .rate: "2M/450k@40s/2M@80s"
            case .trace: "lte.up"
            case .queue: "300ms"
            case .headers: "28"
            case .cross: "110k"
            case .crossSize: "1200"
            case .cubic: "50ms@10s"
            case .seed: "7"
            }
        }
    }

    /// Parses settings in the command line's notation: names and values in any order, each at most once.
    ///
    /// ```text
    /// loss=2%,delay=40ms,jitter=10ms,reorder=1%,reorder-delay=40ms,duplicate=0.5%,rate=2M,queue=300ms,seed=7
    /// burst=5%/3,blackout=2s@30s,spikes=250ms/30s,wifi=2ms/500ms,order=by-delay,corrupt=0.1%
    /// rate=2M/450k@40s/2M@80s,queue=3s
    /// rate=2M,queue=drain/300ms,headers=28,cross=0/500k@10s/0@20s,cross-size=1200,cubic=50ms@10s-40s
    /// trace=lte.up,queue=150kB
    /// ```
    ///
    /// `/` separates the parts of a value; no character has a special meaning in a shell. Omitted settings have their
    /// defaults; the empty text is a perfect link. ``description`` writes the same notation.
    ///
    /// `trace` reads the file of that name, which must not contain a comma.
    ///
    /// - Parameter text: the settings.
    /// - Throws: a ``LinkError`` with the setting, its value and what was expected.
    public init(notation text: some StringProtocol) throws(LinkError) {
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

    private mutating func set(_ name: Name, to value: String) throws(LinkError) {
        switch name {
        case .loss: loss = try percentage(name, value)
        case .burst: burst = try BurstLoss(notation: value)
        case .blackout: blackouts = try Blackout.list(notation: value)
        case .delay: delay = try duration(name, value)
        case .jitter: jitter = try duration(name, value)
        case .spikes: spikes = try DelaySpikes(notation: value)
        case .wifi: wifi = try WiFiAccess(notation: value)
        case .order:
            guard let order = PacketOrder(rawValue: value) else { throw .unknownOrder(value) }
            self.order = order
        case .reorder: reorder = try percentage(name, value)
        case .reorderDelay: reorderDelay = try duration(name, value)
        case .duplicate: duplicate = try percentage(name, value)
        case .duplicateDelay: duplicateDelay = try duration(name, value)
        case .corrupt: corrupt = try percentage(name, value)
        case .rate: rate = try RateSchedule(notation: value)
        case .trace: trace = try DeliveryTrace(contentsOf: value)
        case .queue: queueLimit = try QueueLimit(notation: value)
        case .headers: headerByteCount = try byteCount(name, value)
        case .cross: crossTraffic = try RateSchedule(notation: value, of: .cross)
        case .crossSize: crossPacketByteCount = try byteCount(name, value)
        case .cubic: cubicFlows = try CUBICFlow.list(notation: value)
        case .seed:
            // `UInt64` would accept a plus sign, which the rest of the notation does not.
            guard value.first != "+", let seed = UInt64(value) else { throw .invalidSeed(value) }
            self.seed = seed
        }
    }

    private func percentage(_ name: Name, _ value: String) throws(LinkError) -> Percentage {
        do { return try Percentage(notation: value) } catch { throw .invalidValue(name, error) }
    }

    private func byteCount(_ name: Name, _ value: String) throws(LinkError) -> Int {
        // Nine digits do not overflow; the range is checked later.
        guard (1...9).contains(value.utf8.count), value.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int(value)
        else { throw .malformedValue(name, value) }
        return count
    }

    private func duration(_ name: Name, _ value: String) throws(LinkError) -> MediaDuration {
        do { return try MediaDuration(notation: value) } catch { throw .invalidValue(name, error) }
    }
}

extension LinkSettings: CustomStringConvertible {
    /// The settings that differ from a perfect link, and always the seed, in the notation of ``init(notation:)``.
    public var description: String {
        let clean = LinkSettings.clean
        var parts: [(Name, String)] = []
        if loss != clean.loss { parts.append((.loss, loss.description)) }
        if let burst { parts.append((.burst, burst.description)) }
        if !blackouts.isEmpty { parts.append((.blackout, blackouts.map(\.description).joined(separator: "/"))) }
        if delay != clean.delay { parts.append((.delay, delay.notation)) }
        if jitter != clean.jitter { parts.append((.jitter, jitter.notation)) }
        if let spikes { parts.append((.spikes, spikes.description)) }
        if let wifi { parts.append((.wifi, wifi.description)) }
        if order != clean.order { parts.append((.order, order.rawValue)) }
        if reorder != clean.reorder { parts.append((.reorder, reorder.description)) }
        if reorderDelay != clean.reorderDelay { parts.append((.reorderDelay, reorderDelay.notation)) }
        if duplicate != clean.duplicate { parts.append((.duplicate, duplicate.description)) }
        if duplicateDelay != clean.duplicateDelay { parts.append((.duplicateDelay, duplicateDelay.notation)) }
        if corrupt != clean.corrupt { parts.append((.corrupt, corrupt.description)) }
        if let rate { parts.append((.rate, rate.description)) }
        if let trace { parts.append((.trace, trace.name)) }
        if let queueLimit { parts.append((.queue, queueLimit.description)) }
        if headerByteCount != clean.headerByteCount { parts.append((.headers, String(headerByteCount))) }
        if let crossTraffic { parts.append((.cross, crossTraffic.description)) }
        if crossPacketByteCount != clean.crossPacketByteCount {
            parts.append((.crossSize, String(crossPacketByteCount)))
        }
        if !cubicFlows.isEmpty { parts.append((.cubic, cubicFlows.map(\.description).joined(separator: "/"))) }
        parts.append((.seed, String(seed)))
        return parts.map { "\($0.rawValue)=\($1)" }.joined(separator: ",")
    }
}

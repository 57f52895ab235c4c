public import RillCore

extension LinkSettings {
    /// The upper bound of delays and waits.
    public static let maximumDuration = MediaDuration.seconds(60)
    /// The upper bound of start times and long durations.
    public static let longestTime = MediaDuration.seconds(1_000_000)
    /// The range of ``rate``.
    public static let rateRange = Bitrate.kilobits(1)...Bitrate.megabits(1_000_000)
    /// The range of ``headerByteCount``.
    public static let headerByteCountRange = 0...1000
    /// The range of ``crossTraffic``, apart from zero.
    public static let crossRateRange = Bitrate.kilobits(1)...Bitrate.megabits(1000)
    /// The range of ``crossPacketByteCount``.
    public static let crossPacketByteCountRange = 40...65_535

    /// Creates settings for a link; each parameter sets the property of the same name.
    ///
    /// - Throws: a ``LinkError`` with the setting and its range.
    public init(
        loss: Percentage = .zero, burst: BurstLoss? = nil, blackouts: [Blackout] = [],
        delay: MediaDuration = .zero, jitter: MediaDuration = .zero, spikes: DelaySpikes? = nil,
        wifi: WiFiAccess? = nil,
        order: PacketOrder = .kept, reorder: Percentage = .zero,
        reorderDelay: MediaDuration = LinkSettings.clean.reorderDelay,
        duplicate: Percentage = .zero, duplicateDelay: MediaDuration = LinkSettings.clean.duplicateDelay,
        corrupt: Percentage = .zero,
        rate: RateSchedule? = nil, trace: DeliveryTrace? = nil, queueLimit: QueueLimit? = nil,
        headerByteCount: Int = 0,
        crossTraffic: RateSchedule? = nil,
        crossPacketByteCount: Int = LinkSettings.clean.crossPacketByteCount, cubicFlows: [CUBICFlow] = [],
        seed: UInt64 = LinkSettings.clean.seed
    ) throws(LinkError) {
        self.loss = loss
        self.burst = burst
        self.blackouts = blackouts
        self.delay = delay
        self.jitter = jitter
        self.spikes = spikes
        self.wifi = wifi
        self.order = order
        self.reorder = reorder
        self.reorderDelay = reorderDelay
        self.duplicate = duplicate
        self.duplicateDelay = duplicateDelay
        self.corrupt = corrupt
        self.rate = rate
        self.trace = trace
        self.queueLimit = queueLimit
        self.headerByteCount = headerByteCount
        self.crossTraffic = crossTraffic
        self.crossPacketByteCount = crossPacketByteCount
        self.cubicFlows = cubicFlows
        self.seed = seed
        try validate()
    }

    func validate() throws(LinkError) {
        let durations: [(Name, MediaDuration)] = [
            (.delay, delay), (.jitter, jitter), (.reorderDelay, reorderDelay), (.duplicateDelay, duplicateDelay),
        ]
        for (name, duration) in durations { try check(name, duration) }
        if let burst, !burst.isPossible { throw .impossibleBurst(burst) }
        if let spikes {
            try check(.spikes, spikes.height)
            try check(.spikes, spikes.interval, in: DelaySpikes.intervalRange)
        }
        if let wifi {
            try check(.wifi, wifi.minimum, in: Self.shortest...Self.maximumDuration)
            try check(.wifi, wifi.maximum, in: wifi.minimum...Self.maximumDuration)
        }
        try validateBlackouts()
        try validateBottleneck()
        try validateBackground()
    }

    private func validateBlackouts() throws(LinkError) {
        for blackout in blackouts {
            try check(.blackout, blackout.duration, in: Self.shortest...Self.longestTime)
            try check(.blackout, blackout.start - .zero, in: .zero...Self.longestTime)
            guard let interval = blackout.interval else { continue }
            try check(
                .blackout, interval, in: min(blackout.duration + Self.shortest, Self.longestTime)...Self.longestTime)
        }
    }

    private func validateBottleneck() throws(LinkError) {
        if rate != nil, trace != nil { throw .conflictingSettings(.rate, .trace) }
        if let bad = rate?.badRate { throw .rateOutOfRange(bad) }
        for step in rate?.steps ?? [] { try check(.rate, step.start - .zero, in: .zero...Self.longestTime) }
        switch queueLimit {
        case .time(let duration), .drain(let duration): try check(.queue, duration)
        case .bytes(let count):
            guard (0...QueueLimit.maximumByteCount).contains(count) else { throw .queueOutOfRange(byteCount: count) }
        case nil: break
        }
        try check(.headers, headerByteCount, in: Self.headerByteCountRange)
    }

    private func validateBackground() throws(LinkError) {
        for step in crossTraffic?.steps ?? [] {
            guard Self.crossRateRange.contains(step.rate) || step.rate.bitsPerSecond == 0 else {
                throw .crossTrafficOutOfRange(step.rate)
            }
            try check(.cross, step.start - .zero, in: .zero...Self.longestTime)
        }
        try check(.crossSize, crossPacketByteCount, in: Self.crossPacketByteCountRange)
        guard cubicFlows.count <= CUBICFlow.maximumCount else { throw .tooManyFlows(cubicFlows.count) }
        for flow in cubicFlows {
            try check(.cubic, flow.roundTrip, in: .milliseconds(1)...Self.maximumDuration)
            try check(.cubic, flow.start - .zero, in: .zero...Self.longestTime)
            guard let end = flow.end else { continue }
            try check(
                .cubic, end - .zero, in: min(flow.start - .zero + Self.shortest, Self.longestTime)...Self.longestTime)
        }
        guard rate == nil, trace == nil else { return }
        if crossTraffic != nil { throw .noBottleneck(.cross) }
        if !cubicFlows.isEmpty { throw .noBottleneck(.cubic) }
    }

    private func check(_ name: Name, _ byteCount: Int, in range: ClosedRange<Int>) throws(LinkError) {
        guard range.contains(byteCount) else {
            throw .byteCountOutOfRange(name, byteCount, minimum: range.lowerBound, maximum: range.upperBound)
        }
    }

    private static let shortest = MediaDuration(nanoseconds: 1)

    private func check(
        _ name: Name, _ duration: MediaDuration,
        in range: ClosedRange<MediaDuration> = .zero...LinkSettings.maximumDuration
    ) throws(LinkError) {
        guard range.contains(duration) else {
            throw .durationOutOfRange(name, duration, minimum: range.lowerBound, maximum: range.upperBound)
        }
    }
}

@testable import RillCongestion

/// Plain Google congestion control (GCC): the reference for ``BandwidthEstimate`` on the same links.
///
/// It is delay-based. An adaptive threshold on the one-way delay gradient detects overuse (``DelayGradient``, which
/// Rill has for its neighbors). The rate follows by AIMD: additive and multiplicative increase, and decrease to a share
/// of the acknowledged rate (``RateControl``). Loss limits it (``LossLimit``).
///
/// Constants are those of libwebrtc in 2026. Source: draft-ietf-rmcat-gcc-02, sections 4 to 6. The trendline, the
/// link capacity and the acknowledged rate are those of libwebrtc.
///
/// Not implemented: probe clusters at the start and in application-limited regions (choose a start rate that a probe
/// would find), the loss model that replaced the limits of 2 % and 10 %, and the decrease after a feedback timeout.
struct GoogleCongestionControl: RateController {
    /// The target bitrate.
    var rate: Bitrate { Bitrate(bitsPerSecond: Int(min(max(loss.rate, lowest), highest))) }
    /// The number of decreases because of delay. The pacer's queue is still sent: there is no cut that discards
    /// frames.
    private(set) var decreaseCount = 0
    var cutCount: Int { 0 }

    private let (lowest, highest): (Double, Double)
    private let pacingFactor: Double
    private var gradient = DelayGradient()
    private var acknowledged = AcknowledgedRate()
    private var control: RateControl
    private var loss: LossLimit
    /// The packets of the present feedback that arrived.
    private var arrivals: [(packet: PacketRecord, arrival: MediaTime)] = []

    /// Creates a controller before the first feedback.
    ///
    /// - Parameters:
    ///   - start: the initial rate.
    ///   - range: the bounds of the rate.
    ///   - pacingFactor: the pacing gain: 2.5 as libwebrtc had for years, or 1.1 as it has now. (Now it allows bursts
    ///     of 40 ms, which ``Pacer`` does not: at 2.5 the figures are closer to Chromium's than at 1.1 without
    ///     bursts.)
    init(start: Bitrate, range: ClosedRange<Bitrate>, pacingFactor: Double = 2.5) {
        (lowest, highest) = (Double(range.lowerBound.bitsPerSecond), Double(range.upperBound.bitsPerSecond))
        self.pacingFactor = pacingFactor
        control = RateControl(start: Double(start.bitsPerSecond), lowest: lowest)
        loss = LossLimit(start: Double(start.bitsPerSecond))
    }

    func pacingRate(at now: MediaTime) -> Bitrate {
        Bitrate(bitsPerSecond: Int(Double(rate.bitsPerSecond) * pacingFactor))
    }

    func isWindowFull(_ bytesInFlight: Int, at now: MediaTime) -> Bool { false }

    mutating func record(_ packet: PacketRecord, _ outcome: PacketOutcome, at now: MediaTime) {
        switch outcome {
        case .received(let arrival):
            arrivals.append((packet, arrival))
            loss.record(isLost: false)
        case .lost: loss.record(isLost: true)
        case .unknown: break
        }
    }

    mutating func update(at now: MediaTime) {
        defer { arrivals.removeAll(keepingCapacity: true) }
        if !arrivals.isEmpty {
            detect(at: now)
            followDelay(at: now)
        }
        loss.update(limit: min(control.rate, highest), roundTrip: control.roundTrip, at: now)
        loss.rate = max(loss.rate, lowest)
    }

    /// Passes the packets to the detector, in the order of their arrival.
    private mutating func detect(at now: MediaTime) {
        arrivals.sort { ($0.arrival, $0.packet.number) < ($1.arrival, $1.packet.number) }
        for (packet, arrival) in arrivals {
            acknowledged.add(Int(packet.byteCount), arrival: arrival)
            gradient.add(packet.sendTime, arrival: arrival)
        }
        guard let last = arrivals.last else { return }
        // The RTT without the time for which the receiver held the report back.
        let trips = arrivals.map { now - $0.packet.sendTime - (last.arrival - $0.arrival) }
        if let shortest = trips.min() { control.roundTrip = shortest }
    }

    private mutating func followDelay(at now: MediaTime) {
        switch (gradient.usage, acknowledged.bitsPerSecond) {
        case (.overuse, let rate?):
            guard control.mayDecrease(acknowledged: rate, at: now) else { return }
            decreaseCount += 1
            control.update(.overuse, acknowledged: rate, at: now)
        case (.overuse, nil):
            // No acknowledged rate yet: half of the rate.
            guard control.mayDecrease(acknowledged: control.rate / 2 - 1, at: now) else { return }
            decreaseCount += 1
            control.set(control.rate / 2, at: now)
        case (let usage, let rate): control.update(usage, acknowledged: rate, at: now)
        }
    }
}

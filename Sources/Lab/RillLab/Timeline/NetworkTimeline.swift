import Rill
public import RillCore
import RillLink
import RillSession

/// What congestion control has done up to a moment of a session. Counts and sums are those since its start.
public struct NetworkSample: Encodable, Sendable, Equatable {
    /// The moment, on the session's clock.
    public var time: MediaTime
    /// The estimate of what the network carries, with all headers, in bits per second.
    public var availableOutgoingBitrate: Int
    /// The target of each layer's encoder, in bits per second, in the order of the layers.
    public var targetBitrates: [Int]
    /// The datagrams that have left.
    public var packetsSent: Int
    /// The time that they waited to leave, in seconds.
    public var totalPacketSendDelay: Double
    /// How often the bitrate was cut because of overload.
    public var cuts: Int
    /// Probes of whether the network carries more.
    public var probes: Int
    /// The longest time that a packet spends in the network, of those sent since the sample before; `nil` if all were
    /// lost.
    public var longestTransit: MediaDuration?
}

/// Records what congestion control does, from all threads that know of it.
///
/// In fixed memory: when it is full, pairs of samples become one, and the time between two doubles.
final class NetworkRecorder: Sendable {
    private let state = Monitor(State())

    private struct State: ~Copyable {
        var samples: [NetworkSample] = []
        var interval = MediaDuration.milliseconds(100)
        var next = MediaTime.zero
        var longestTransit: MediaDuration?
    }

    /// More than the columns of a plot on a wide screen.
    static let capacity = 2048

    /// Notes a datagram that was handed to the network.
    func sent(_ outcome: SendOutcome, at now: MediaTime) {
        guard case .queued(let arrival, _, _) = outcome else { return }
        state.withLock { $0.longestTransit = max($0.longestTransit ?? .zero, arrival - now) }
    }

    /// Takes a sample, if it is time for one.
    func look(
        _ targetBitrates: @autoclosure () -> [Int], _ session: @autoclosure () -> SessionStatistics, at now: MediaTime
    ) {
        guard state.withLock({ now >= $0.next }) else { return }
        let session = session()
        guard let congestion = session.congestion else { return }
        add(
            NetworkSample(
                time: now, availableOutgoingBitrate: congestion.availableOutgoingBitrate,
                targetBitrates: targetBitrates(), packetsSent: session.transport.packetsSent,
                totalPacketSendDelay: congestion.totalPacketSendDelay, cuts: congestion.cuts,
                probes: congestion.probes))
    }

    /// Adds a sample, with the longest time in the network since the one before.
    func add(_ sample: NetworkSample) {
        state.withLock { state in
            state.samples.append(sample)
            state.samples[state.samples.count - 1].longestTransit = state.longestTransit
            state.longestTransit = nil
            if state.samples.count == Self.capacity {
                state.samples = Self.halved(state.samples)
                state.interval = state.interval * 2
            }
            state.next = sample.time + state.interval
        }
    }

    private static func halved(_ samples: [NetworkSample]) -> [NetworkSample] {
        stride(from: 1, to: samples.count, by: 2).map { index in
            var later = samples[index]
            later.longestTransit = [samples[index - 1].longestTransit, later.longestTransit].compactMap(\.self).max()
            return later
        }
    }

    /// The samples so far, in order.
    var samples: [NetworkSample] { state.withLock { $0.samples } }
}

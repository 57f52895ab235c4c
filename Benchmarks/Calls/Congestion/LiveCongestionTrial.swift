import Arguments
import Foundation
import Rill
import RillRTP
import RillSecurity
import RillTransport
import Synchronization

/// The call of ``CongestionTrial`` in real time: sockets, SRTP, `rill relay` as the network, and all the threads of two
/// calls.
enum LiveCongestionTrial {
    /// Makes a call, and prints a line of JSON.
    static func run(_ arguments: Arguments) throws {
        let (trial, seed) = (try CongestionCase(arguments), UInt64(try arguments.number("seed") ?? 1))
        let clip = try LoopedClip(path: arguments["clip"], seconds: trial.seconds)
        let cuts = try ClipCuts(path: arguments["clip"])
        let layers = CongestionTrial.layers(of: clip)
        let clock = LiveClock()
        let key = SRTPKey.generate(.aeadAES128GCM)
        let far = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0), settings: .large)
        let near = SentDatagrams(
            try UDPSocket(boundTo: UDPAddress(.loopback, port: 0), settings: .large), clock, tagByteCount: tagByteCount)
        let relay = try RelayProgram(rill: arguments["rill"], to: far.localAddress.port, over: trial, seed: seed)

        var settings = VideoCallSettings(layers: layers)
        settings.send.congestion = CongestionTrial.congestion
        settings.send.congestion?.packetOverhead += tagByteCount
        let frames = FrameRecord(layers.map(\.rid))
        let watching = try VideoCall(settings, source: nil, clock: clock)
        let sender = try watching.add(ParticipantSettings("sender", at: nil, key: key), over: far) { them in
            for layer in layers { try them.show(layer.rid, on: frames.shownTap(layer.rid, clock)) }
        }
        let source = GatedClip(clip)
        let gate = source.gate
        let sending = try VideoCall(
            settings, source: source, taps: SendTaps(encoded: frames.encodedTap()), clock: clock)
        let address = UDPAddress(.loopback, port: relay.port)
        let viewer = try sending.add(ParticipantSettings("viewer", at: address, key: key), over: near)
        let streams = try viewer.description(at: address).streams(.send)
        gate.open()

        let end = clock.now + .seconds(trial.seconds)
        var rates: [(MediaTime, Bitrate)] = []
        while clock.now < end {
            usleep(10_000)
            guard let congestion = viewer.statistics.session.congestion else { continue }
            rates.append((clock.now, Bitrate(bitsPerSecond: congestion.availableOutgoingBitrate)))
        }
        // The datagrams in flight arrive meanwhile.
        usleep(1_000_000)
        let refused = sender.statistics.unprotected?.refused ?? 0
        for call in [sending, watching] { call.waitForEnd() }
        let passages = try relay.stop()
        guard refused == 0 else { throw WrongUse("\(refused) packets were rejected") }
        let log = try CongestionLog(near.all, passages, streams, frames, rates, cuts)
        try CongestionTrial.print(log.result(trial, seed: seed))
    }

    /// AES-GCM's.
    private static let tagByteCount = 16
}

extension VideoCall {
    /// Ends the call and blocks this thread, which is not one of the tasks', until then.
    fileprivate func waitForEnd() {
        let ended = DispatchSemaphore(value: 0)
        Task {
            await end()
            ended.signal()
        }
        ended.wait()
    }
}

extension UDPSocket.Settings {
    /// The buffer for packets that arrive while a thread is busy.
    fileprivate static var large: UDPSocket.Settings {
        var settings = UDPSocket.Settings()
        settings.receiveBufferByteCount = 8 << 20
        return settings
    }
}

/// A clip whose first frame waits until there is a viewer.
private final class GatedClip: FrameSource {
    final class Gate: Sendable {
        private let state = Atomic(false)
        var isOpen: Bool { state.load(ordering: .acquiring) }
        func open() { state.store(true, ordering: .releasing) }
    }

    let gate = Gate()
    private let clip: LoopedClip

    init(_ clip: LoopedClip) { self.clip = clip }

    var format: SourceFormat { clip.format }

    func next() throws -> SourceOutput {
        while !gate.isOpen { usleep(1000) }
        return try clip.next()
    }
}

extension CongestionLog {
    /// The results of a call in real time, on the clock of its relay.
    ///
    /// - Parameters:
    ///   - sent: the datagrams that were sent.
    ///   - passages: the relay's outcome of each.
    ///   - streams: the streams, in the order of the layers.
    ///   - frames: the frames that were encoded and shown.
    ///   - rates: the estimates.
    ///   - cuts: the start times of the clip's scenes.
    convenience init(
        _ sent: [SentDatagrams.Datagram], _ passages: [RelayProgram.Passage], _ streams: [StreamDescription],
        _ frames: FrameRecord, _ rates: [(MediaTime, Bitrate)], _ cuts: ClipCuts
    ) throws {
        self.init(cuts: cuts)
        guard zip(sent, passages).allSatisfy({ $0.byteCount == $1.byteCount }), passages.count <= sent.count,
            passages.count > 100
        else { throw WrongUse("\(sent.count) datagrams were sent, and \(passages.count) were relayed") }
        // No datagram arrives before it was sent: the smallest delay is the clock offset.
        let zero = zip(sent, passages).map { $0.time - ($1.arrival - MediaTime.zero) }.max() ?? MediaTime.zero
        func time(_ time: MediaTime) -> MediaTime { MediaTime.zero + (time - zero) }
        callBegan(
            streams.map { stream in
                Layer(ssrc: stream.ssrc ?? SSRC(0), retransmissionSSRC: stream.repair.retransmission?.ssrc)
            })
        clipStart = frames.encoded.compactMap(\.first).map { time($0.captured) }.min() ?? .zero
        for (datagram, passage) in zip(sent, passages) {
            noteSent(
                datagram.header, payloadByteCount: datagram.payloadByteCount, byteCount: datagram.byteCount,
                at: passage.arrival)
            // All cases that are measured in real time have one delay.
            notePassed(wait: passage.wait, departure: passage.scheduled.map { $0 - Self.linkDelay })
        }
        for (index, encoded) in frames.encoded.enumerated() {
            guard let first = encoded.first, let timestamp = layers[index].firstTimestamp else { continue }
            let offset = timestamp.rawValue &- Self.ticks(first.captureTime)
            for frame in encoded {
                let timestamp = RTPTimestamp(Self.ticks(frame.captureTime) &+ offset)
                guard layers[index].places[timestamp.rawValue] != nil else { continue }
                frameWasSent(layer: index, timestamp: timestamp, captureTime: time(frame.captured), at: .zero)
            }
            for shown in frames.shown[index] {
                frameWasShown(layer: index, timestamp: shown.timestamp, at: time(shown.time))
            }
        }
        for (moment, rate) in rates { rateWasEstimated(rate, at: time(moment)) }
    }

    private static var linkDelay: MediaDuration { .milliseconds(50) }

    private static func ticks(_ time: MediaTime) -> UInt32 {
        UInt32(truncatingIfNeeded: time.ticks(rate: RTPTimestamp.videoClockRate))
    }
}

extension CongestionLog.Layer {
    /// The timestamp of the first frame that was sent.
    fileprivate var firstTimestamp: RTPTimestamp? { places.first { $0.value == 0 }.map { RTPTimestamp($0.key) } }
}

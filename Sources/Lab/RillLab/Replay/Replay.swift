import RillCore
public import RillFiles
public import RillRTP
import RillThreads
public import RillTransport

/// A replay of the RTP and RTCP packets of a capture over UDP, at their original times.
///
/// ```swift
/// let socket = try ConnectedUDPSocket(to: try UDPAddress.resolve("127.0.0.1:5004"))
/// let report = try Replay(of: "call.pcap").run(to: socket)
/// ```
///
/// Packets are sent unchanged: a second round starts with the sequence numbers of the first. Datagrams that are
/// neither RTP nor RTCP, and truncated packets, are skipped and counted.
///
/// It runs on the caller's thread, which sleeps until each packet is due.
public struct Replay: Sendable {
    /// The capture: pcap, pcapng or rtpdump.
    public let path: String
    /// What is sent, and how.
    public let settings: Settings

    /// What is sent, and how.
    public struct Settings: Sendable {
        /// The speed: seconds of the capture per second, in ``ReplayPacer/speedRange``.
        public var speed = 1.0
        /// How many times the capture is sent, at least once.
        public var rounds = 1
        /// The SSRCs whose packets are sent; all if empty.
        public var ssrcs: Set<SSRC> = []
        /// Whether RTCP is sent too.
        public var includesRTCP = true

        /// Creates settings that send everything once at the original speed.
        public init() {}
    }

    /// The result of a replay.
    public struct Report: Codable, Sendable, Equatable {
        /// Packets sent.
        public var sent = 0
        /// Their bytes.
        public var sentBytes = 0
        /// The duration, in seconds.
        public var duration = 0.0
        /// Packets that the system did not send.
        public var failed = 0
        /// The first error.
        public var failure: String?
        /// ICMP refusals: no program listened at the destination.
        public var refused = 0
        /// Packets of SSRCs that were not selected, or RTCP that was not selected.
        public var unwanted = 0
        /// Truncated packets.
        public var cut = 0
        /// Datagrams that are neither RTP nor RTCP.
        public var otherDatagrams = 0
        /// The mean delay of packets after their due times, in milliseconds.
        public var meanLateness = 0.0
        /// The largest such delay.
        public var maximumLateness = 0.0
        /// Where and why the capture ended before its end, if it did. Everything before was sent.
        public var damage: String?
    }

    /// Creates a replay of the capture at `path`.
    public init(of path: String, settings: Settings = Settings()) {
        precondition(settings.rounds >= 1, "a capture is sent at least once")
        self.path = path
        self.settings = settings
    }

    /// Sends the capture to the address that `socket` is connected to, and returns after its last packet.
    ///
    /// - Parameters:
    ///   - socket: the connected socket.
    ///   - progress: is called after each packet with the number sent so far.
    /// - Returns: the result.
    /// - Throws: ``/RillFiles/FileError`` if not even the capture's header can be read.
    public func run(to socket: ConnectedUDPSocket, progress: (Int) -> Void = { _ in }) throws(FileError) -> Report {
        let clock = LiveClock()
        var pacer = ReplayPacer(speed: settings.speed, start: clock.now)
        var run = Run(clock: clock, socket: socket)
        let refusedBefore = socket.statistics.refused
        for round in 0..<settings.rounds {
            let capture = try CaptureReader(path: path)
            if round > 0 { pacer.beginRound() }
            try send(capture, &pacer, &run, progress)
            // What stopped the first round would stop the next one.
            if run.report.damage != nil { break }
        }
        run.report.duration = clock.now.seconds
        run.report.refused = socket.statistics.refused - refusedBefore
        if run.report.sent > 0 { run.report.meanLateness = run.totalLateness / Double(run.report.sent) }
        return run.report
    }

    /// The state of a replay.
    private struct Run {
        let clock: LiveClock
        let socket: ConnectedUDPSocket
        var report = Report()
        var totalLateness = 0.0

        mutating func send(_ packet: Span<UInt8>, due: MediaTime) {
            clock.sleep(until: due)
            let lateness = (clock.now - due).milliseconds
            do throws(TransportError) {
                try socket.send(packet)
            } catch {
                report.failed += 1
                report.failure = report.failure ?? error.description
                return
            }
            report.sent += 1
            report.sentBytes += packet.count
            totalLateness += lateness
            report.maximumLateness = max(report.maximumLateness, lateness)
        }
    }

    private func send(
        _ capture: CaptureReader, _ pacer: inout ReplayPacer, _ run: inout Run, _ progress: (Int) -> Void
    ) throws(FileError) {
        var packet: [UInt8] = []
        do throws(FileError) {
            while let datagram = try capture.next(into: &packet) {
                let kind = PacketKind(of: packet.span)
                if datagram.isCut {
                    run.report.cut += 1
                } else if kind == .other {
                    run.report.otherDatagrams += 1
                } else if !isWanted(packet.span, kind) {
                    run.report.unwanted += 1
                } else {
                    run.send(packet.span, due: pacer.due(datagram.time))
                    progress(run.report.sent)
                }
            }
        } catch {
            run.report.damage = error.description
        }
    }

    private func isWanted(_ packet: Span<UInt8>, _ kind: PacketKind) -> Bool {
        guard settings.includesRTCP || kind == .rtp else { return false }
        guard !settings.ssrcs.isEmpty else { return true }
        guard kind == .rtcp else { return SSRC(ofSenderOf: packet).map(settings.ssrcs.contains) ?? false }
        // It is sent unchanged, so one packet of a selected SSRC takes those bundled with it along. An error in a
        // compound ends it.
        var compound = RTCPCompound(packet)
        var start = 0
        while let part = try? compound.next() {
            let bytes = packet.extracting(start..<start + part.byteCount)
            if SSRC(ofSenderOf: bytes).map(settings.ssrcs.contains) ?? false { return true }
            start += part.byteCount
        }
        return false
    }
}

extension Replay.Report: CustomStringConvertible {
    /// The non-zero counters by name: `sent 310, sentBytes 330000, duration 5`.
    public var description: String { countedText(self) }
}

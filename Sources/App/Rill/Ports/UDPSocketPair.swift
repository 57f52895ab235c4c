public import RillCore
import RillRTP
import RillThreads
public import RillTransport

extension UDPSocket {
    /// Two UDP sockets as one transport: one for RTP, and one for RTCP, as without a=rtcp-mux (RFC 3550 §11).
    ///
    /// ```swift
    /// let rtp = try UDPSocket(boundTo: UDPAddress(.v4(0), port: 5004))
    /// let pair = try UDPSocket.Pair(rtp)                    // RTCP at 5005
    /// let pair = try UDPSocket.Pair(rtp, reports: 5010)     // a=rtcp:5010 (RFC 3605)
    /// ```
    ///
    /// What arrives at either is received. RTP leaves the first socket, and so does RTCP to an address that RTP comes
    /// from or goes to: that side shares a port. All other RTCP leaves the second one.
    ///
    /// Threading and cost: as for ``/RillTransport/UDPSocket``; two more system calls for each batch that is received.
    public final class Pair: DatagramTransport {
        private let packets: UDPSocket
        private let reports: UDPSocket
        private let sockets: SocketSet
        private let clock = LiveClock()
        private let state = Monitor(State())

        private struct State {
            /// Where RTP last came from, and where it last went.
            var media: (source: UDPAddress?, destination: UDPAddress?)
            /// Whether the next call reads the socket of RTCP first: neither starves the other.
            var readsReportsFirst = true
        }

        /// Opens the socket of RTCP beside that of RTP, at the same local address.
        ///
        /// - Parameters:
        ///   - packets: the socket of RTP.
        ///   - port: the port of RTCP; `nil` for the one behind that of RTP.
        /// - Throws: `socketFailed` if the port cannot be opened; `invalidAddress` if there is none behind that of RTP.
        public init(_ packets: UDPSocket, reports port: UInt16? = nil) throws(TransportError) {
            var address = packets.localAddress
            guard let port = port ?? (address.port == .max ? nil : address.port + 1) else {
                throw .invalidAddress("\(address.ip):65536")
            }
            address.port = port
            self.packets = packets
            reports = try UDPSocket(boundTo: address)
            sockets = try SocketSet()
            try sockets.add(packets, key: 0)
            try sockets.add(reports, key: 1)
        }

        /// Where RTP is received.
        public var localAddress: UDPAddress { packets.localAddress }
        /// Where RTCP is received.
        public var localReportAddress: UDPAddress { reports.localAddress }

        /// Sends all datagrams without waiting.
        public func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome {
            var hasReports = false
            var destination: UDPAddress?
            for index in 0..<datagrams.count {
                if PacketKind(of: datagrams.bytes(at: index)) == .rtcp {
                    hasReports = true
                } else {
                    destination = datagrams.destination(at: index)
                }
            }
            if let destination { state.withLock { $0.media.destination = destination } }
            return hasReports ? sendEach(&datagrams) : packets.send(&datagrams)
        }

        /// Sends a batch with RTCP in it one by one: there is one a second, and with each feedback.
        private func sendEach(_ datagrams: inout OutgoingDatagrams) -> SendOutcome {
            let media = state.withLock { $0.media }
            var failure: (count: Int, error: TransportError)?
            while !datagrams.isEmpty {
                guard let destination = datagrams.destination(at: 0) else {
                    datagrams.removeFirst(1)
                    continue
                }
                let isReport = PacketKind(of: datagrams.bytes(at: 0)) == .rtcp
                let isShared = destination == media.source || destination == media.destination
                let socket = isReport && !isShared ? reports : packets
                do throws(TransportError) {
                    guard try socket.sendAtOnce(datagrams.bytes(at: 0), to: destination) else {
                        return .bufferFull(remaining: datagrams.count)
                    }
                } catch {
                    failure = ((failure?.count ?? 0) + 1, failure?.error ?? error)
                }
                datagrams.removeFirst(1)
            }
            return failure.map { .refused(count: $0.count, $0.error) } ?? .sent
        }

        /// Replaces the contents of `datagrams` with those that have arrived at one of the sockets, waiting up to
        /// `timeout` for the first one.
        ///
        /// - Throws: `socketFailed`.
        public func receive(
            into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
        ) throws(TransportError) -> ReceiveOutcome {
            let end = clock.now + timeout
            while true {
                let readsReportsFirst = state.withLock { state in
                    defer { state.readsReportsFirst.toggle() }
                    return state.readsReportsFirst
                }
                for isReport in [readsReportsFirst, !readsReportsFirst] {
                    switch try (isReport ? reports : packets).receive(into: &datagrams, within: .zero) {
                    case .received(let count):
                        note(datagrams)
                        return .received(count)
                    case .closed: return .closed
                    case .nothing: continue
                    }
                }
                guard clock.now < end else { return .nothing }
                try sockets.wait(untilMonotonic: clock.monotonic(end)) { _ in }
            }
        }

        private func note(_ datagrams: borrowing IncomingDatagrams) {
            for index in datagrams.indices where PacketKind(of: datagrams.bytes(at: index)) == .rtp {
                let source = datagrams.source(at: index)
                return state.withLock { $0.media.source = source }
            }
        }

        /// Stops receiving; waiting calls return.
        public func close() {
            packets.close()
            reports.close()
            sockets.wake()
        }

        /// Statistics of both sockets since the start.
        public var statistics: TransportStatistics { packets.statistics.adding(reports.statistics) }
    }
}

extension TransportStatistics {
    fileprivate func adding(_ other: TransportStatistics) -> TransportStatistics {
        var sum = self
        for path in [
            \TransportStatistics.sent, \.sentBytes, \.failed, \.bufferFull, \.refused, \.received, \.receivedBytes,
            \.truncated, \.congestionMarks, \.segmentsRefused, \.arrivalsAdjusted, \.sendCalls, \.receiveCalls,
            \.waitCalls,
        ] {
            sum[keyPath: path] += other[keyPath: path]
        }
        return sum
    }
}

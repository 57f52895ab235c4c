import Glibc
public import RillCore
public import RillFiles
import RillLink

/// Records what arrives at the two ends of a loopback's network, RTP and RTCP, as it would look on a wire.
///
///     loopback.capture = try LinkCapture(path: "call.pcap")
///     let report = try loopback.runInVirtualTime()
///
/// The sender is 192.0.2.1:5004, the receiver 192.0.2.2:5004. Each datagram bears the time at which it arrived at its end;
/// what the network lost is not there. Wireshark shows it with `-d udp.port==5004,rtp`.
///
/// In virtual time the recording begins with the year 2026, so that the same seed gives the same bytes.
///
/// Threading: may be called from any thread.
public final class LinkCapture: Sendable {
    private let state: Monitor<State>

    /// Which way a datagram went.
    public enum Direction: Sendable {
        /// From the sender to the receiver.
        case toReceiver
        /// Back.
        case toSender
    }

    private struct State: ~Copyable {
        /// The capture is this one's alone, used under its lock.
        let writer: CaptureWriter
        let start: MediaTime
        var failure: FileError?
    }

    private static let sender = UDPAddress(.v4(0xC000_0201), port: 5004)
    private static let receiver = UDPAddress(.v4(0xC000_0202), port: 5004)

    /// Where virtual time begins: 1 January 2026, 0:00 UTC.
    public static let virtualStart = MediaTime.zero + .seconds(1_767_225_600)

    /// The time of the clock on the wall, since 1970: where live recordings begin.
    public static var wallClockNow: MediaTime {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &moment)
        return MediaTime(nanoseconds: Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec))
    }

    /// Makes or empties a file, whose ending says what it is: `.pcap`, `.pcapng`, `.rtpdump`.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - name: what errors call it and whose ending counts, where that is not its path.
    ///   - start: what time it was, since 1970, when the session's clock stood at zero.
    /// - Throws: ``FileError``.
    public init(
        path: String, name: String? = nil, start: MediaTime = LinkCapture.virtualStart
    ) throws(FileError) {
        var settings = CaptureWriter.Settings()
        settings.startTime = start
        settings.address = LinkCapture.receiver
        // Nobody else has it: it goes straight into the lock's keeping.
        state = Monitor(
            State(writer: try CaptureWriter(path: path, name: name, settings: settings), start: start))
    }

    /// Records a datagram that arrived at `time` on the session's clock. What goes wrong is thrown by ``finish()``;
    /// nothing is recorded after it.
    public func add(_ datagram: Span<UInt8>, _ direction: Direction, at time: MediaTime) {
        let (source, destination) =
            direction == .toReceiver
            ? (LinkCapture.sender, LinkCapture.receiver) : (LinkCapture.receiver, LinkCapture.sender)
        state.withLock { state in
            guard state.failure == nil else { return }
            do throws(FileError) {
                try state.writer.write(datagram, from: source, to: destination, at: state.start + (time - .zero))
            } catch {
                state.failure = error
            }
        }
    }

    /// Closes the file. Called once, after the last datagram.
    ///
    /// - Throws: the first failure of ``add(_:_:at:)``, or `writeFailed`.
    public func finish() throws(FileError) {
        let failure: FileError? = state.withLock { state in
            do throws(FileError) { try state.writer.finish() } catch { return state.failure ?? error }
            return state.failure
        }
        if let failure { throw failure }
    }
}

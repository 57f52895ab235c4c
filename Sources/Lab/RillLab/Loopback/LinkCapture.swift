import Glibc
public import RillCore
public import RillFiles
import RillLink

/// A recorder of what arrives at the two ends of a loopback's network, RTP and RTCP, as it would appear on the wire.
///
/// ```swift
/// loopback.capture = try LinkCapture(path: "call.pcap")
/// let report = try loopback.runInVirtualTime()
/// ```
///
/// The sender is 192.0.2.1:5004, the receiver 192.0.2.2:5004. Each datagram has the time at which it arrived at its
/// end; what the network lost is not recorded. Wireshark shows it with `-d udp.port==5004,rtp`.
///
/// In virtual time the recording starts at the beginning of 2026, so that the same seed gives the same bytes.
///
/// Threads: may be called from any thread.
public final class LinkCapture: Sendable {
    private let state: Monitor<State>

    private struct State: ~Copyable {
        /// Exclusive to this capture, used under its lock.
        let writer: CaptureWriter
        let start: MediaTime
        var failure: FileError?
    }

    private static let sender = UDPAddress(.v4(0xC000_0201), port: 5004)
    private static let receiver = UDPAddress(.v4(0xC000_0202), port: 5004)

    /// The start of virtual time: 1 January 2026, 0:00 UTC.
    public static let virtualStart = MediaTime.zero + .seconds(1_767_225_600)

    /// The current wall clock time since 1970: the start of live recordings.
    public static var wallClockNow: MediaTime {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &moment)
        return MediaTime(nanoseconds: Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec))
    }

    /// Creates or empties a file, whose extension determines the format: `.pcap`, `.pcapng`, `.rtpdump`.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - name: the name for errors and the extension; `nil` if it is the path.
    ///   - start: the time since 1970 at which the session's clock was zero; the start of 2026 by default.
    /// - Throws: ``/RillFiles/FileError``.
    public init(
        path: String, name: String? = nil, start: MediaTime = LinkCapture.virtualStart
    ) throws(FileError) {
        var settings = CaptureWriter.Settings()
        settings.startTime = start
        settings.address = LinkCapture.receiver
        // Not shared yet: it goes directly behind the lock.
        state = Monitor(
            State(writer: try CaptureWriter(path: path, name: name, settings: settings), start: start))
    }

    /// Records a datagram that arrived at `time` on the session's clock. ``finish()`` throws the first error; nothing
    /// is recorded after it.
    public func add(_ datagram: Span<UInt8>, _ direction: LinkDirection, at time: MediaTime) {
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

    /// Closes the file. Call it once, after the last datagram.
    ///
    /// - Throws: the first error of ``add(_:_:at:)``, or `writeFailed`.
    public func finish() throws(FileError) {
        let failure: FileError? = state.withLock { state in
            do throws(FileError) { try state.writer.finish() } catch { return state.failure ?? error }
            return state.failure
        }
        if let failure { throw failure }
    }
}

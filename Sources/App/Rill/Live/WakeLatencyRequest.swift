import Glibc
public import RillCore

/// A request that all processors wake within a given time, held as long as the object lives (Linux power management's
/// quality of service for CPU latency, `/dev/cpu_dma_latency`).
///
/// ```swift
/// let awake = try WakeLatencyRequest()
/// let call = try VideoCall(settings, source: camera)
/// ```
///
/// An idle processor sleeps, and a live call is idle between frames. Waking takes from a microsecond to nearly a
/// millisecond, depending on how deep the sleep is. On a virtual machine it takes until the host runs it again, which
/// may be many milliseconds. A frame or a packet waits that long. For a latency of zero, Linux spins in a loop
/// instead of sleeping.
///
/// The request applies to the whole machine, all processors and programs; the strictest of all requests wins. It
/// costs power, heat, and what a host charges for busy processors: right for a machine that serves calls, wrong for a
/// laptop. Where nothing can sleep, it changes nothing. Measure it with `Scripts/bench latency`.
///
/// The device belongs to root unless its permissions are changed, for example by a udev rule:
/// `KERNEL=="cpu_dma_latency", GROUP="video", MODE="0660"`. The request ends with this object, or with the process,
/// however that ends. A program started meanwhile does not keep it. Any thread may create or release it.
///
/// Source: Linux, Documentation/power/pm_qos_interface.rst.
public final class WakeLatencyRequest: Sendable {
    /// Why the system does not accept a request.
    public enum RequestError: Error, Equatable, Sendable {
        /// Opening the device or writing to it failed; `code` is its `errno`.
        case refused(path: String, code: Int32)
    }

    /// The device that takes requests.
    public static let device = "/dev/cpu_dma_latency"

    private let descriptor: Int32

    /// Makes the request.
    ///
    /// - Parameter latency: the longest time from asleep to awake, rounded down to whole microseconds; zero by
    ///   default, clamped to zero at least and half an hour at most.
    /// - Throws: ``RequestError`` if the system has no such device, or this process may not use it.
    public convenience init(_ latency: MediaDuration = .zero) throws(RequestError) {
        try self.init(latency, device: WakeLatencyRequest.device)
    }

    init(_ latency: MediaDuration, device: String) throws(RequestError) {
        // The path is zero-terminated for the duration of the call, which only reads it.
        let descriptor = unsafe open(device, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .refused(path: device, code: errno) }
        let most = Int64(Int32.max) * 1000
        var microseconds = Int32(min(max(latency.nanoseconds, 0), most) / 1000)
        let size = MemoryLayout<Int32>.size
        // Four bytes in native byte order, which the call reads.
        guard unsafe write(descriptor, &microseconds, size) == size else {
            let code = errno
            close(descriptor)
            throw .refused(path: device, code: code)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

extension WakeLatencyRequest.RequestError: CustomStringConvertible {
    /// One sentence for the user of the program.
    public var description: String {
        switch self {
        case .refused(let path, let code):
            "\(path) takes no request (errno \(code))" + (code == EACCES ? ": it needs root, or a rule of udev" : "")
        }
    }
}

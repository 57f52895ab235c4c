import Glibc
public import RillCore

/// Asks Linux to have all processors awake within a time, for as long as the request lives (power management's quality of
/// service for CPU latency, `/dev/cpu_dma_latency`).
///
///     let awake = try WakeLatencyRequest()
///     let sender = try LiveSender(source: camera, layers: layers) { packet, time in … }
///
/// A processor with nothing to do sleeps, and a live call has nothing to do between frames. To wake
/// takes it from a microsecond to nearly a millisecond by how deep it sleeps, and on a virtual machine as long as the host
/// needs to come back to it, which may be many milliseconds: a frame or a packet waits as long. Asked for no time at all,
/// Linux waits in a loop in place of sleeping.
///
/// It is about the whole machine, all its processors and programs, and the strictest of all requests counts. It costs
/// power, heat, and what a host charges for processors that never rest: right for a machine that serves calls, wrong for
/// a laptop. Where nothing can sleep, it changes nothing. Measure it with `Scripts/bench latency`.
///
/// The device is root's, unless somebody gives it to others, for example by a rule of udev:
/// `KERNEL=="cpu_dma_latency", GROUP="video", MODE="0660"`. The request ends with this object, or with the process, however
/// that ends; a program that is started meanwhile does not keep it. Any thread may make it or let go of it.
///
/// Source: Linux, Documentation/power/pm_qos_interface.rst.
public final class WakeLatencyRequest: Sendable {
    /// Why the system takes no request.
    public enum RequestError: Error, Equatable, Sendable {
        /// It refused to open the device, or to write to it; `code` is its `errno`.
        case refused(path: String, code: Int32)
    }

    /// Where Linux takes requests.
    public static let device = "/dev/cpu_dma_latency"

    private let descriptor: Int32

    /// Asks for it from here on.
    ///
    /// - Parameter latency: from asleep to awake at most, in whole microseconds, cut; below none is none, above half an
    ///   hour is half an hour.
    /// - Throws: ``RequestError``, where the system has no such device, or does not let this process.
    public convenience init(_ latency: MediaDuration = .zero) throws(RequestError) {
        try self.init(latency, device: WakeLatencyRequest.device)
    }

    init(_ latency: MediaDuration, device: String) throws(RequestError) {
        // The path ends with a zero for as long as the call lasts, and the system reads it alone.
        let descriptor = unsafe open(device, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .refused(path: device, code: errno) }
        let most = Int64(Int32.max) * 1000
        var microseconds = Int32(min(max(latency.nanoseconds, 0), most) / 1000)
        let size = MemoryLayout<Int32>.size
        // Four bytes in the machine's own order, which the call reads.
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
    /// One sentence for whoever runs the program.
    public var description: String {
        switch self {
        case .refused(let path, let code):
            "\(path) takes no request (errno \(code))" + (code == EACCES ? ": it needs root, or a rule of udev" : "")
        }
    }
}

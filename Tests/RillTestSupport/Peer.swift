/// Another program as a judge: what it makes we must read, what we make it must read.
package enum Peer: String {
    case ffmpeg, ffprobe, vpxenc, vpxdec
    case gstreamer = "gst-launch-1.0"
    /// Python with GStreamer's bindings: the system's own, whatever other Python comes first in the path.
    case python = "python3"
    case chromium
    case firefox = "firefox-esr"
    case tshark, editcap, mergecap, text2pcap
    case coturn = "turnserver"
    case systemd = "systemd-analyze"

    private var program: Program? {
        self == .python ? Program(path: "/usr/bin/python3") : Program(named: rawValue)
    }

    package var isInstalled: Bool {
        guard self == .python else { return program != nil }
        let imports = "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst"
        return (try? run("-c", imports)) != nil  // what does not run is not there
    }

    /// Runs it to its end and gives its standard output; anything but success throws what it said.
    @discardableResult
    package func run(_ arguments: String...) throws -> [UInt8] {
        try run(arguments)
    }

    /// The same with a list of arguments.
    ///
    /// - Parameter seconds: when to stop it, if it has not ended by then. Where the peer is not known to end by itself,
    ///   that is as expected; else it throws.
    @discardableResult
    package func run(
        _ arguments: [String], stoppedAfter seconds: Int = 600, asExpected: Bool = false
    ) throws -> [UInt8] {
        let outcome = try start(arguments, limit: seconds).program.wait()
        guard outcome.status == 0 || outcome.isStopped && asExpected else {
            throw TestFailure("\(rawValue) \(arguments): \(outcome.errors)")
        }
        return outcome.output
    }

    /// Starts it, to run beside the test for at most `limit` seconds.
    package func start(_ arguments: [String], limit: Int) throws -> RunningPeer {
        guard let program else { throw TestFailure("\(rawValue) is not installed") }
        return RunningPeer("\(rawValue) \(arguments)", try program.start(arguments, limit: limit))
    }
}

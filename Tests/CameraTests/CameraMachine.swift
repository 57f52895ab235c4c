import Foundation
import RillCapture
import RillCore
import RillTestSupport
import Testing

/// Tests against the kernel's own drivers, in the virtual machine of `Tests/CameraVM`: `Scripts/test CameraTests` runs
/// them there. The machine is slow: they assert events, their order and counts, not times.
@Suite(.serialized, .enabled(if: CameraMachine.isHere, "not in the camera machine: see Scripts/test CameraTests"))
struct CameraMachineTests {}

/// The machine that the tests run in.
enum CameraMachine {
    /// Whether this is it.
    static let isHere = environment("RILL_CAMERA_MACHINE") != nil

    static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    /// Runs a program to its end. That of its time is not counted in seconds of this machine, which leap while the
    /// program is read from disk: when it hangs, the machine's own time on the host is over (`camera-vm --timeout`).
    static func run(_ program: Program, _ arguments: [String]) throws -> RunningProgram.Outcome {
        try program.start(arguments, limit: longestTest).wait()
    }

    /// Runs a tool of the machine's.
    static func run(_ name: String, _ arguments: String...) throws {
        let program = try #require(Program(named: name))
        let outcome = try run(program, arguments)
        guard outcome.status == 0 else { throw TestFailure("\(name) \(arguments): \(outcome.errors)\(outcome.text)") }
    }

    /// Reloads vivid, with one camera, in that way.
    static func reloadVivid(_ parameters: String...) throws {
        try run("rmmod", "vivid")
        let all = ["n_devs=1", "num_inputs=1", "input_types=0", "node_types=0x1"] + parameters
        let program = try #require(Program(named: "modprobe"))
        let outcome = try run(program, ["vivid"] + all)
        guard outcome.status == 0 else { throw TestFailure("vivid \(parameters): \(outcome.errors)") }
    }

    /// Writes to a file of the kernel's.
    static func write(_ text: String, to path: String) throws {
        try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: path))
    }

    /// A clock's seconds.
    static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Descriptors of this process that lead to a camera, and mappings of a camera's buffers.
    static func openCameraCount() throws -> Int {
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let targets = descriptors.compactMap {
            // The one that listed the folder is closed by now, and leads nowhere.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        return targets.filter { $0.hasPrefix("/dev/video") }.count
            + maps.split(separator: "\n").filter { $0.contains("/dev/video") }.count
    }

    /// A USB webcam beside the test, which is there when this returns, and is unplugged when the value goes.
    ///
    /// It runs at the lowest priority: a real webcam needs no processor, and there is only one here.
    static func plugUSBCamera(_ options: String...) throws -> RunningProgram {
        let path = try #require(environment("RILL_USB_CAMERA"))
        let program = try #require(Program(named: "nice"))
        let said = TemporaryFolder()
        // It runs the command once the camera's node can be opened, and ends with a word of why where none comes up.
        let command = ["sh", "-c", "echo $CAMERA >$0 && exec sleep \(longestTest)", said.path("node")]
        let plug = try program.start(["-n", "19", path] + options + ["--"] + command, limit: longestTest)
        let deadline = try hostSeconds() + plugLimit
        // Until the node is reported there is no file, or no complete line in it.
        while (try? String(contentsOfFile: said.path("node"), encoding: .utf8))?.hasSuffix("\n") != true {
            guard !plug.hasEnded else {
                let outcome = try plug.wait()
                throw TestFailure("the USB camera did not come up (\(outcome.status)): \(outcome.errors)")
            }
            guard try hostSeconds() < deadline else { throw TestFailure("no USB camera after \(plugLimit) s") }
            usleep(20_000)
        }
        return plug
    }

    /// Seconds by the host's clock that a program may take to be read from disk and to have the camera come up.
    private static let plugLimit = 120

    /// More seconds than the emulated machine's own clock leaps in any test.
    static let longestTest = 1_000_000

    /// Seconds by the hardware clock, which goes with the host's. The machine's other clocks leap to the next deadline
    /// where there is nothing to do, as while the host reads a file: half a minute may pass by them before a program
    /// was started.
    private static func hostSeconds() throws -> Int {
        let text = try String(contentsOfFile: "/sys/class/rtc/rtc0/since_epoch", encoding: .utf8)
        return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// The name that the USB webcam has.
    static let usbCamera = CameraSelection.name("Rill USB Camera")
}

/// A camera that is watched: what it gives and what is said of it.
final class WatchedCamera {
    let camera: V4L2Camera
    private let entries: Monitor<[CameraEvent]>

    init(_ selection: CameraSelection, _ constraints: CameraConstraints = CameraConstraints()) throws {
        let entries = Monitor([CameraEvent]())
        self.entries = entries
        camera = try V4L2Camera(selection, constraints) { event in entries.withLock { $0.append(event) } }
    }

    var events: [CameraEvent] { entries.withLock { $0 } }
    var kinds: [String] { events.map(\.kind) }
    var statistics: CameraStatistics { camera.status.statistics }

    /// Takes frames until `isDone`, which is checked after each answer, for at most a minute.
    @discardableResult
    func take(_ limit: Double = 60, until isDone: (_ frames: [MediaTime]) throws -> Bool) throws -> [MediaTime] {
        let deadline = Date().addingTimeInterval(limit)
        var times: [MediaTime] = []
        while Date() < deadline {
            if case .frame(let frame) = try camera.next() { times.append(frame.captureTime) }
            if try isDone(times) { return times }
        }
        throw TestFailure("not done in \(limit) s: \(times.count) frames, \(events)")
    }

    /// Takes so many frames.
    @discardableResult
    func take(_ count: Int) throws -> [MediaTime] { try take { $0.count == count } }
}

extension CameraEvent {
    /// The event without what it carries.
    var kind: String {
        switch self {
        case .opened: "opened"
        case .streaming: "streaming"
        case .stalled: "stalled"
        case .errorFrame: "errorFrame"
        case .lost: "lost"
        case .reopened: "reopened"
        case .busy: "busy"
        case .denied: "denied"
        case .failed: "failed"
        }
    }
}

import Foundation
import RillCapture
import RillCore
import RillTestSupport
import Testing

/// Tests against the kernel's own drivers, in the virtual machine of `Tests/CameraVM`: `Scripts/test --camera` runs them
/// there. The machine is slow: they assert events, their order and counts, not times.
@Suite(.serialized, .enabled(if: CameraMachine.isHere, "not in the camera machine: see Scripts/test --camera"))
struct CameraMachineTests {}

/// The machine that the tests run in.
enum CameraMachine {
    /// Whether this is it.
    static let isHere = environment("RILL_CAMERA_MACHINE") != nil

    static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    /// Runs a tool of the machine's.
    static func run(_ name: String, _ arguments: String...) throws {
        let program = try #require(Program(named: name))
        let outcome = try program.run(arguments)
        guard outcome.status == 0 else { throw TestFailure("\(name) \(arguments): \(outcome.errors)\(outcome.text)") }
    }

    /// Loads vivid anew, with one camera, in that way.
    static func reloadVivid(_ parameters: String...) throws {
        try run("rmmod", "vivid")
        let all = ["n_devs=1", "num_inputs=1", "input_types=0", "node_types=0x1"] + parameters
        let program = try #require(Program(named: "modprobe"))
        let outcome = try program.run(["vivid"] + all)
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

    /// A USB webcam beside the test, which is unplugged when the value goes.
    ///
    /// It gets the processor when nobody else wants it: a real webcam takes none, and there is but one here.
    static func plugUSBCamera(_ options: String...) throws -> RunningProgram {
        let path = try #require(environment("RILL_USB_CAMERA"))
        let program = try #require(Program(named: "nice"))
        return try program.start(["-n", "19", path] + options + ["--", "sleep", "1000"])
    }

    /// The name that the USB webcam has.
    static let usbCamera = CameraSelection.name("Rill USB Camera")
}

/// A camera that is watched: what it gives and what is said of it.
final class WatchedCamera {
    let camera: V4L2Camera
    private let entries: Monitor<[CameraEvent]>

    init(_ selection: CameraSelection, _ wish: CameraWish = CameraWish()) throws {
        let entries = Monitor([CameraEvent]())
        self.entries = entries
        // A node that has just come may need a moment.
        let deadline = Date().addingTimeInterval(30)
        while true {
            do throws(CameraError) {
                camera = try V4L2Camera(selection, wish) { event in entries.withLock { $0.append(event) } }
                return
            } catch {
                guard error.isGone, Date() < deadline else { throw error }
                entries.withLock { $0.removeAll() }
                usleep(100_000)
            }
        }
    }

    var events: [CameraEvent] { entries.withLock { $0 } }
    var kinds: [String] { events.map(\.kind) }
    var statistics: CameraStatistics { camera.status.statistics }

    /// Takes frames until `isDone`, which is asked after each answer; a minute at the most.
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

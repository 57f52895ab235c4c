import ArgumentParser
import Rill
import RillCore

/// `rill cameras`: lists cameras and their controls, and sets controls.
struct CamerasCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cameras",
        abstract: "List the cameras, their formats and controls; set controls.",
        discussion: """
            A control is set by name and value. A menu also accepts the name of an item, a switch on and off, and \
            every control default.

            Examples:
              rill cameras
              rill cameras --json
              rill cameras /dev/video0 --set brightness=128
              rill cameras /dev/video0 --set "power_line_frequency=50 Hz"
              rill cameras --set /dev/video0 brightness=128
            """)

    @Argument(
        help: "The camera: its node, its index in the list or a part of its name; with --set, followed by settings.",
        completion: .cameras)
    var words: [String] = []

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: "A setting, CONTROL=VALUE; or the camera, with the settings as arguments.",
        completion: .cameras)
    var set: [String] = []

    @Flag(help: "Print JSON instead of tables.")
    var json = false

    func run() throws {
        let (camera, settings) = request
        guard settings.isEmpty else {
            guard let camera else { throw ValidationError("--set: which camera? Give its node, as in /dev/video0") }
            try apply(settings, to: camera)
            return
        }
        let reports = try readingInput {
            try (camera.map { [try $0.device()] } ?? CameraDevice.list()).map { device in
                CameraReport(device, controls: try CameraControls(.path(device.path)).list())
            }
        }
        guard !json else { return try JSONOutput.print(reports) }
        if reports.isEmpty { StandardError.print("no camera found") }
        for (index, report) in reports.enumerated() { try StandardOutput.print((index > 0 ? "\n" : "") + report.text) }
    }

    /// The camera and the settings. Words with `=` are settings, as arguments or after `--set`.
    private var request: (camera: CameraSelection?, settings: [String]) {
        let all = words + set
        let isSetting = { (word: String) in word.contains("=") && !word.hasPrefix("/") }
        return (all.first { !isSetting($0) }.map { CameraSelection($0) }, all.filter(isSetting))
    }

    private func apply(_ settings: [String], to camera: CameraSelection) throws {
        let controls = try readingInput { try CameraControls(camera) }
        for setting in settings {
            let (name, value) = try controls.set(setting)
            StandardError.print("\(controls.path): \(name)=\(value)")
        }
    }

    func validate() throws {
        let (_, settings) = request
        let cameras = (words + set).count - settings.count
        guard cameras <= 1 else { throw ValidationError("one camera at a time") }
        if !set.isEmpty, settings.isEmpty {
            throw ValidationError("--set takes CONTROL=VALUE, like brightness=128")
        }
    }
}

extension CameraSelection {
    /// The device of the selected camera.
    fileprivate func device() throws -> CameraDevice {
        let path = try CameraControls(self).path
        guard let device = CameraDevice.list().first(where: { $0.path == path }) else {
            // A link to a node is compared by the node's stable path.
            guard let device = CameraDevice.list().first(where: { .path($0.stablePath ?? "") == self }) else {
                throw CameraError.notFound(self)
            }
            return device
        }
        return device
    }
}

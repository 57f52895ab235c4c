import ArgumentParser
import Rill
import RillCore

/// A source's name that means a camera: a device (`/dev/video0`), or `camera:` with a place in the list or a part of its
/// name.
func cameraSelection(_ name: String) -> CameraSelection? {
    let prefix = "camera:"
    if name.hasPrefix(prefix) { return CameraSelection(String(name.dropFirst(prefix.count))) }
    return name.hasPrefix("/dev/") ? .path(name) : nil
}

/// What is wanted of a camera.
struct CameraOptions: ParsableArguments {
    @Option(help: "Size of a camera's pictures (default: 640x480).", completion: .sizes, transform: resolutionNotation)
    var cameraSize: Resolution = .vga

    @Option(help: "Frame rate of a camera (default: 30).", completion: .frameRates, transform: frameRateNotation)
    var cameraFps: FrameRate = 30

    @Option(
        help: "Format of a camera, by its four letters (default: the best one).",
        completion: .cameraFormats,
        transform: { text in
            guard let format = CameraPixelFormat(rawValue: text.uppercased()) else {
                throw ValidationError(
                    "\"\(text)\" is no format that is read here: expected one of "
                        + CameraPixelFormat.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return format
        })
    var cameraFormat: CameraPixelFormat?

    /// Opens a camera; what happens to it is said on standard error.
    func open(_ selection: CameraSelection) throws -> V4L2Camera {
        let constraints = CameraConstraints(resolution: cameraSize, frameRate: cameraFps, pixelFormat: cameraFormat)
        let log = CameraLog(selection)
        let camera = try V4L2Camera(selection, constraints) { log.note($0) }
        log.begin()
        return camera
    }
}

/// Says on standard error what happens to a camera, once it is open: until then the error says it. Any thread.
private final class CameraLog: Sendable {
    private let selection: CameraSelection
    /// What happened before anybody was told; `nil` from then on.
    private let waiting = Monitor<[CameraEvent]?>([])

    init(_ selection: CameraSelection) {
        self.selection = selection
    }

    func note(_ event: CameraEvent) {
        let isEarly = waiting.withLock { waiting in
            waiting?.append(event)
            return waiting != nil
        }
        if !isEarly { say(event) }
    }

    /// Says what has happened until now, and from here on what happens when it does.
    func begin() {
        let events = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for event in events { say(event) }
    }

    private func say(_ event: CameraEvent) { StandardError.print("\(selection): \(event)") }
}

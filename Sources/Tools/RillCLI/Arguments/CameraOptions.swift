import ArgumentParser
import Rill
import RillCore

/// The camera that a source's name selects: a device (`/dev/video0`), or `camera:` with an index in the list or a part
/// of the camera's name; `nil` if the name is not that of a camera.
func cameraSelection(_ name: String) -> CameraSelection? {
    let prefix = "camera:"
    if name.hasPrefix(prefix) { return CameraSelection(String(name.dropFirst(prefix.count))) }
    return name.hasPrefix("/dev/") ? .path(name) : nil
}

/// The constraints for a camera.
struct CameraOptions: ParsableArguments {
    @Option(help: "Size of a camera's pictures (default: 640x480).", completion: .sizes, transform: resolutionNotation)
    var cameraSize: Resolution = .vga

    @Option(help: "Frame rate of a camera (default: 30).", completion: .frameRates, transform: frameRateNotation)
    var cameraFps: FrameRate = 30

    @Option(
        help: "Pixel format of a camera, as a FourCC (default: the best one).",
        completion: .cameraFormats,
        transform: { text in
            guard let format = CameraPixelFormat(rawValue: text.uppercased()) else {
                throw ValidationError(
                    "\"\(text)\" is not a supported format: expected one of "
                        + CameraPixelFormat.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return format
        })
    var cameraFormat: CameraPixelFormat?

    /// Opens a camera, and prints its events on standard error.
    func open(_ selection: CameraSelection) throws -> V4L2Camera {
        let constraints = CameraConstraints(resolution: cameraSize, frameRate: cameraFps, pixelFormat: cameraFormat)
        let log = CameraLog(selection)
        let camera = try V4L2Camera(selection, constraints) { log.note($0) }
        log.begin()
        return camera
    }
}

import RillContainers
import RillCore
import RillLink
import RillTranscode

/// What a loopback sends.
extension LoopbackCommand {
    func openSource() throws -> any FrameSource {
        if let camera { return try readingInput { try cameraOptions.open(camera) } }
        if let clip { return try readingInput { try clipOptions.open(clip) } }
        return try sceneOptions.scene(size ?? .vga, frameRate: 30, seed: network.seed)
    }

    /// The source, limited to `--duration`.
    func timed(_ source: any FrameSource) -> any FrameSource {
        if camera != nil { return TimedSource(source, duration: sceneOptions.endlessDuration) }
        guard clip != nil, let duration = sceneOptions.duration else { return source }
        return TimedSource(source, duration: duration)
    }
}

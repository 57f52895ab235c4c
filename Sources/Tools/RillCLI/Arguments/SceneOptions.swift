import ArgumentParser
import Rill
import RillCore
import RillScenes

/// The options of the portrait scene.
struct SceneOptions: ParsableArguments {
    @Option(
        help:
            "Skin tone of the portrait: light, medium, dark, or 1 to 10 on the Monk Skin Tone scale (default: light).",
        completion: .tones,
        transform: { text in
            guard let tone = SkinTone(text) else {
                throw ValidationError("\"\(text)\" is not a skin tone: expected light, medium, dark, or 1 to 10")
            }
            return tone
        })
    var tone: SkinTone = .light

    @Option(help: "Sensor noise of the portrait: standard deviation of luma in code values, 0 to 20.")
    var noise: Double = 2.5

    @Option(
        help: "Duration (default: 10s for the portrait scene and a camera, all of a clip).",
        transform: durationNotation)
    var duration: MediaDuration?

    /// The duration of a source without an end.
    var endlessDuration: MediaDuration { duration ?? .seconds(10) }

    func validate() throws {
        guard (0...20).contains(noise) else { throw ValidationError("--noise must be from 0 to 20, not \(noise)") }
        guard endlessDuration > .zero else { throw ValidationError("--duration must be greater than zero") }
    }

    /// The scene, with as many frames as fit in the duration.
    func scene(_ resolution: Resolution, frameRate: FrameRate, seed: UInt64) throws -> PortraitScene {
        let duration = endlessDuration
        let frames = (duration.seconds * frameRate.framesPerSecond).rounded()
        guard let count = Int(exactly: frames), count > 0 else {
            throw ValidationError("a scene of \(duration) at \(frameRate) fps has no frame")
        }
        return try PortraitScene(
            resolution: resolution, frameRate: frameRate, frameCount: count,
            settings: PortraitScene.Settings(seed: seed, skinTone: tone, noise: noise))
    }
}

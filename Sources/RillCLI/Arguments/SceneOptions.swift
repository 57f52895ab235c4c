import ArgumentParser
import Rill
import RillCore
import RillScenes

/// How the portrait scene is drawn.
struct SceneOptions: ParsableArguments {
    @Option(
        help:
            "Skin tone of the portrait: light, medium, dark, or 1 to 10 on the Monk Skin Tone scale (default: light).",
        completion: .tones,
        transform: { text in
            guard let tone = SkinTone(text) else {
                throw ValidationError("\"\(text)\" is no skin tone: expected light, medium, dark, or 1 to 10")
            }
            return tone
        })
    var tone: SkinTone = .light

    @Option(help: "Sensor noise of the portrait: standard deviation of luma in code values, 0 to 20.")
    var noise: Double = 2.5

    @Option(
        help: "How long: of the portrait scene and of a camera 10s by default, of a clip all of it.",
        transform: durationNotation)
    var duration: MediaDuration?

    /// The length of what has no end of its own.
    var endlessDuration: MediaDuration { duration ?? .seconds(10) }

    func validate() throws {
        guard (0...20).contains(noise) else { throw ValidationError("--noise goes from 0 to 20, not \(noise)") }
        guard endlessDuration > .zero else { throw ValidationError("--duration must be more than nothing") }
    }

    /// The scene, with as many frames as the duration holds.
    func scene(_ resolution: Resolution, frameRate: FrameRate, seed: UInt64) throws -> PortraitScene {
        let duration = endlessDuration
        let frames = (duration.seconds * frameRate.framesPerSecond).rounded()
        guard let count = Int(exactly: frames), count > 0 else {
            throw ValidationError("a scene of \(duration) at \(frameRate) frames a second has no frame")
        }
        return try PortraitScene(
            resolution: resolution, frameRate: frameRate, frameCount: count,
            settings: PortraitScene.Settings(seed: seed, skinTone: tone, noise: noise))
    }
}

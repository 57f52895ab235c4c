import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillScenes

/// `rill generate`: draws a scene as a clip.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Draw a test clip: a person in front of a camera, with sensor noise, from a seed.",
        usage: "rill generate <scene> <output> [<options>]",
        discussion: """
            Writes Y4M, raw I420, or a PNG of the first frame, depending on the file extension. The same seed and \
            settings give the same bytes.

            Examples:
              rill generate portrait portrait.y4m --duration 15s
              rill generate portrait dark.y4m --tone dark --size 1280x720 --seed 3
              rill generate portrait portrait.png
            """)

    /// The scenes that can be drawn.
    enum Scene: String, ExpressibleByArgument, CaseIterable {
        case portrait
    }

    @Argument(help: "What to draw: \(Scene.allCases.map(\.rawValue).joined(separator: ", ")).")
    var scene: Scene

    @Argument(
        help: "The file to write: .y4m, .yuv, .i420 or .png; - is Y4M on standard output.",
        completion: .files(.y4m, .i420, .png))
    var output: String

    @Option(help: "Size of the pictures (default: 640x480).", completion: .sizes, transform: resolutionNotation)
    var size: Resolution = .vga

    @Option(help: "Frames per second (default: 30).", completion: .frameRates, transform: frameRateNotation)
    var fps: FrameRate = 30

    @Option(help: "Seed of the random numbers.")
    var seed: UInt64 = 1

    @OptionGroup(title: "The portrait scene")
    var sceneOptions: SceneOptions

    func run() throws {
        let interruption = Interruption()
        let source = try sceneOptions.scene(size, frameRate: fps, seed: seed)
        let file = OutputFile(path: output)
        switch outputFormat {
        case .y4m:
            let writer = try Y4MWriter(path: file.partPath, name: output, resolution: size, frameRate: fps)
            try write(source, to: writer, interruption)
        case .i420:
            try write(
                source, to: try RawVideoWriter(path: file.partPath, name: output, resolution: size), interruption)
        case .png:
            guard case .frame(let frame) = source.next() else { preconditionFailure("a scene has a first frame") }
            try PNGWriter.write(frame, to: file.partPath, name: output)
        case .ivf, .nv12, .rtpDump, .pcap, .pcapng, nil: preconditionFailure("refused by validate()")
        }
        try file.commit()
    }

    private var outputFormat: VideoFileFormat? { output == "-" ? .y4m : VideoFileFormat(path: output) }

    func validate() throws {
        switch outputFormat {
        case .y4m, .i420, .png: break
        case .ivf, .nv12, .rtpDump, .pcap, .pcapng, nil:
            throw ValidationError("\(output): the name must end in .y4m, .yuv, .i420 or .png")
        }
    }

    private func write(_ source: PortraitScene, to sink: some FrameSink, _ interruption: Interruption) throws {
        let bar = ProgressBar("generate", total: source.format.frameCount)
        var count = 0
        while case .frame(let frame) = source.next() {
            guard !interruption.isRequested else { throw CommandError.interrupted }
            try sink.consume(frame)
            count += 1
            bar.update(count)
        }
        bar.finish()
        try sink.finish()
    }
}

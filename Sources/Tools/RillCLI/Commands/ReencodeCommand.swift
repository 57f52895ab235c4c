import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillLab

/// `rill reencode`: reproduces the encoded frames of a live session.
struct ReencodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reencode",
        abstract: "Reproduce the encoded frames of a live session from its trace, byte for byte.",
        usage: "rill reencode <trace> <clip> <output> [<low-output>] [<options>]",
        discussion: """
            A live session drops frames and adapts when the machine is busy, so no two runs are the same. Its trace \
            (rill loopback --live --trace) records the input of each encoder; with the same clip it gives the same \
            bytes.

            Examples:
              rill loopback clip.y4m --live --trace call.trace --coded high.ivf
              rill reencode call.trace clip.y4m again.ivf
              cmp high.ivf again.ivf
            """)

    @Argument(help: "The trace.", completion: .file())
    var trace: String

    @Argument(help: "The clip that was sent.", completion: .clips)
    var clip: String

    @Argument(
        help: "The file to write, .ivf, for the first layer, high; more files for the other layers.",
        completion: .files(.ivf))
    var outputs: [String]

    @OptionGroup
    var facesOptions: FacesOptions

    @OptionGroup(title: "Raw clips")
    var clipOptions: ClipOptions

    func run() throws {
        let start = Measurement.now
        let interruption = Interruption()
        let trace = try readingInput { try SendTrace(path: self.trace) }
        guard outputs.count <= trace.layers.count else {
            throw ValidationError("the trace has \(trace.layers.count) layers, and there are \(outputs.count) outputs")
        }
        let source = InputSource(try readingInput { try clipOptions.open(clip) })
        var written: [OutputFile] = []
        var files: [StreamLayer.RID: any EncodedFrameSink] = [:]
        for (path, layer) in zip(outputs, trace.layers) {
            guard let settings = layer.initialSettings else { continue }
            let file = OutputFile(path: path)
            written.append(file)
            files[layer.rid] = try IVFWriter(
                path: file.partPath, name: path, codec: settings.encoder.codec, resolution: settings.resolution)
        }
        let sink = LayerFiles(files)
        let replay = try TraceReplay(trace, source: source, faces: try facesOptions.detection(for: nil) { _ in })
        let bar = ProgressBar("reencode", total: source.format.frameCount)
        var bytes: [StreamLayer.RID: Int] = [:]
        do {
            try replay.run(progress: { bar.update($0) }) { frame, payload in
                guard !interruption.isRequested else { throw CommandError.interrupted }
                bytes[frame.layer.rid, default: 0] += payload.count
                try sink.consume(frame, payload: payload)
            }
        } catch let error as TraceError {
            // The clip does not match the trace.
            throw CommandError("\(error)", .unreadableInput)
        }
        bar.finish()
        try sink.finish()
        for file in written { try file.commit() }
        try show(trace, bytes)
        StandardError.print(Measurement.now.since(start).text)
    }

    private func show(_ trace: SendTrace, _ bytes: [StreamLayer.RID: Int]) throws {
        var table = TextTable(["layer", "output", "frames", "dropped live", "adapted", "bytes"])
        for (index, layer) in trace.layers.enumerated() {
            table.add([
                "\(layer.rid)", outputs.indices.contains(index) ? outputs[index] : "–", "\(layer.frameCount)",
                "\(layer.framesDropped)", "\(layer.adaptations)", "\(bytes[layer.rid] ?? 0)",
            ])
        }
        try StandardOutput.print(table.text)
    }

    func validate() throws {
        for path in outputs where VideoFileFormat(path: path) != .ivf {
            throw ValidationError("\(path): the name must end in .ivf")
        }
        try requireDistinct(input: trace, outputs: outputs + [clip])
    }
}

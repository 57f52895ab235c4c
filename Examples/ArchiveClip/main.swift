// archive-clip OUT.ivf [CLIP]
//
// Encodes a clip (SampleMedia/portrait.ivf) in two passes at constant quality, writes the low layer to a second file,
// and shows its progress. Both files get their names only when they are complete: an interrupted run leaves neither.

import Rill
import RillFiles
import RillTranscode

let paths = Array(CommandLine.arguments.dropFirst())
let path = paths.first ?? "out.ivf"

// Two passes read a clip twice, so the transcoder gets a function that opens it.
let clip = ReopenableClip(frameCount: nil, opensRanges: false) { _ in
    try Clip.open(paths.count > 1 ? paths[1] : "SampleMedia/portrait.ivf")
}
let format = try clip.open(nil).format

// An archive keeps every frame with its own timestamp.
var high = LayerSettings.high(format.resolution, bitrate: .suggested(for: format.resolution))
    .takingEveryFrame(of: format.frameRate)
high.encoder = .good(.vp8)
high.encoder.quality = 24

let files = [OutputFile(path: path), OutputFile(path: path + ".low.ivf")]
let writers = [
    try IVFWriter(path: files[0].partPath, codec: .vp8, resolution: high.resolution),
    try IVFWriter(path: files[1].partPath, codec: .vp8, resolution: LayerSettings.low.resolution),
]
let transcoder = Transcoder(
    clip: clip, outputs: [.encoded(high, writers[0]), .encoded(.low, writers[1])], files: files)

let running = transcoder.start()
var shown = 0
for await progress in running.progress where progress.framesRead >= shown + 60 {
    shown = progress.framesRead
    print("\(progress.framesAnalyzed) frames analyzed, \(progress.framesRead) encoded")
}
let report = try await running.report()
for (file, output) in zip(files, report.outputs) {
    print("\(file.path): \(output.framesWritten) frames, \(output.bytesEncoded) bytes")
}

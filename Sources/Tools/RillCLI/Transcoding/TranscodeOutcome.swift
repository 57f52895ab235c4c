import ArgumentParser
import Rill
import RillCore
import RillTranscode

/// The result of one transcode.
struct TranscodeOutcome: Sendable {
    var summary: TranscodeSummary
    /// The paths of all written files.
    var files: [String]
    /// Notices for the user: one list, in the text and in the JSON summary.
    var notices: [String] {
        get { summary.notices }
        set { summary.notices = newValue }
    }
    /// What this machine lacks for the options; the same for all clips.
    var lack: String?
    /// The reason why only part of the clip was transcoded; `nil` if all was.
    var partialReason: String?

    /// The result as a table, below a line on the input.
    func text(on terminal: Terminal) -> String {
        let hasQuality = summary.outputs.contains { $0.psnr != nil }
        var table = TextTable(
            ["output", "size", "frames", "key", "bytes", "target, kbit/s", "kbit/s"]
                + (hasQuality ? ["PSNR-Y, dB"] : []))
        for row in summary.outputs {
            table.add([
                row.path, row.resolution, "\(row.frames)", row.keyFrames.map(String.init) ?? "–",
                row.bytes.map(String.init) ?? "–", row.targetText, row.bitrateText,
                hasQuality ? row.psnr.map { Decimal.text($0, decimals: 2) } ?? "–" : "",
            ])
        }
        let segments = summary.segments > 1 ? ", \(summary.segments) segments" : ""
        let skipped = summary.framesSkipped > 0 ? "; \(summary.framesSkipped) could not be decoded" : ""
        return
            "read \(summary.framesRead) frames, \(Decimal.text(summary.duration, decimals: 2)) s\(segments)\(skipped)\n"
            + table.text(on: terminal)
    }
}

/// The JSON summary of a transcode.
struct TranscodeSummary: Codable, Equatable, Sendable {
    var framesRead: Int
    var framesSkipped: Int
    var duration: Double
    var segments: Int
    var outputs: [TranscodeRow]
    /// What was converted or left out, and remarks; the lines that a terminal shows.
    var notices: [String] = []
}

/// One file of a ``TranscodeSummary``.
struct TranscodeRow: Codable, Equatable, Sendable {
    var path: String
    var resolution: String
    var frames: Int
    /// Key frames, encoded bytes and bits per second: of encoded outputs only.
    var keyFrames: Int?
    var bytes: Int?
    var bitrate: Double?
    /// The target in bits per second; `nil` for constant quality.
    var targetBitrate: Int?
    /// PSNR of luma against the clip, in decibels, if requested.
    var psnr: Double?

    init(path: String, _ output: Transcoder.Output, _ written: TranscodeReport.Output, seconds: Double) {
        self.path = path
        resolution = output.layer.resolution.description
        frames = written.framesWritten
        guard case .encoded = output else { return }
        keyFrames = written.keyFramesWritten
        bytes = written.bytesEncoded
        targetBitrate = output.layer.encoder.quality == nil ? output.layer.bitrate.bitsPerSecond : nil
        bitrate = seconds > 0 ? Double(written.bytesEncoded) * 8 / seconds : 0
    }

    /// The target as table text, in kbit/s.
    var targetText: String { targetBitrate.map { Decimal.text(Double($0) / 1000, decimals: 0) } ?? "–" }

    /// The bitrate as table text, in kbit/s.
    var bitrateText: String { bitrate.map { Decimal.text($0 / 1000, decimals: 1) } ?? "–" }

    /// A row for a file of pictures.
    init(path: String, resolution: Resolution, frames: Int) {
        self.path = path
        self.resolution = resolution.description
        self.frames = frames
    }
}

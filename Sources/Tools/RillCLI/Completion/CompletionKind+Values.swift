import ArgumentParser
import Foundation
import Rill
import RillCore
import RillFiles
import RillRTP

/// The completions that shells offer for values of options and arguments. The scripts of Scripts/completions call
/// `rill` for values that have a grammar or depend on the machine; this opens and writes no files.
extension CompletionKind {
    /// `--network`.
    static let network = settings(.network)
    /// `--beauty`.
    static let beauty = settings(.beauty)
    /// `--codec`.
    static let codecs = list(VideoCodec.allCases.map { $0.rawValue.lowercased() })
    /// Common picture sizes.
    static let sizes = list(["160x120", "320x240", "640x360", "640x480", "1280x720", "1920x1080"])
    /// Common frame rates.
    static let frameRates = list(["5", "15", "24", "25", "30", "30000/1001", "50", "60"])
    /// `--camera-format`.
    static let cameraFormats = list(CameraPixelFormat.allCases.map(\.rawValue))
    /// `--tone`.
    static let tones = list(["light", "medium", "dark"] + (1...10).map(String.init))

    /// The nodes of the present cameras.
    static let cameras = custom { _, _, typed in CameraNodes.list(in: "/dev").filter { $0.hasPrefix(typed) } }
    /// A camera or a clip.
    static let sources = custom { _, _, typed in
        CameraNodes.list(in: "/dev").filter { $0.hasPrefix(typed) } + files(ClipEndings.all)
    }
    /// A clip.
    static let clips = named(ClipEndings.all)
    /// A file of one of these formats, or a container.
    static func files(_ formats: VideoFileFormat..., more: [String] = []) -> CompletionKind {
        named(formats.flatMap(\.pathExtensions) + more)
    }

    /// A file with one of these extensions, in lower or upper case (cameras and old systems write capitals).
    static func named(_ pathExtensions: [String]) -> CompletionKind { file(extensions: inBothCases(pathExtensions)) }

    private static func inBothCases(_ pathExtensions: [String]) -> [String] {
        pathExtensions + pathExtensions.map { $0.uppercased() }
    }

    private static func settings(_ grammar: SettingsCompletion) -> CompletionKind {
        custom { _, _, typed in
            grammar.candidates(after: value(of: typed)).map { $0.line(for: CompletionShell.requesting) }
        }
    }

    /// The value in `--network=loss=2%`: zsh and fish pass the whole word.
    private static func value(of typed: String) -> String {
        guard typed.hasPrefix("--"), let mark = typed.firstIndex(of: "=") else { return typed }
        return String(typed[typed.index(after: mark)...])
    }

    /// A last line that makes the shell offer files as well: the shell can quote names and expand `~`. Only scripts
    /// that set the environment variable understand it.
    private static func files(_ pathExtensions: [String]) -> [String] {
        guard ProcessInfo.processInfo.environment["RILL_COMPLETES_FILES"] != nil else { return [] }
        return ["files: " + inBothCases(pathExtensions).joined(separator: " ")]
    }
}

extension SettingsCompletion.Candidate {
    /// The candidate in the format of a shell, with a description if the shell shows one.
    func line(for shell: CompletionShell?) -> String {
        switch shell {
        case .zsh? where !about.isEmpty: "\(text):\(about)"
        case .fish? where !about.isEmpty: "\(text)\t\(about)"
        default: text
        }
    }
}

/// The nodes of cameras, found by name only: opening one could turn on its light.
enum CameraNodes {
    /// `/dev/video0`, `/dev/video2` and so on, sorted by number.
    static func list(in folder: String) -> [String] {
        // A folder that cannot be read has nothing to complete.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let numbers = names.filter { $0.hasPrefix("video") }.compactMap { Int($0.dropFirst("video".count)) }
        return numbers.sorted().map { "\(folder)/video\($0)" }
    }
}

/// The file extensions of clips: for batches of a folder, and for completion.
enum ClipEndings {
    /// The extensions read by FFmpeg's libraries, besides Rill's own formats.
    private static let containers = [
        "3gp", "avi", "flv", "gif", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "mxf", "ogv", "ts", "vob",
        "webm", "wmv",
    ]

    /// All extensions, in lower case.
    static let all = [VideoFileFormat.y4m, .ivf, .i420, .nv12].flatMap(\.pathExtensions) + containers

    /// Whether a file of that name is a clip, ignoring case.
    static func isClip(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
        return all.contains(name[name.index(after: dot)...].lowercased())
    }
}

import Glibc
public import RillCore
public import RillFiles
import RillImage

/// Writes each picture to its own PNG in a folder, named by its time (`00-01-30.000.png`), and all of them to a
/// contact sheet, `contact-sheet.png`: a visual overview of a clip.
///
/// ```swift
/// let sink = try ThumbnailSink(folder: "thumbnails")
/// let transcoder = Transcoder(clip: clip, outputs: [.pictures(.thumbnails(of: size, every: .seconds(10)), sink)])
/// _ = try await transcoder.start().report()
/// try sink.commit()
/// ```
///
/// All pictures have one size. The sheet shows at most 60 of them: for longer clips every second, fourth, … picture.
/// One owner, one thread at a time. Memory: those 60 pictures.
public final class ThumbnailSink: FrameSink {
    /// The sheet's file name in the folder.
    public static let sheetName = "contact-sheet.png"
    private static let sheetCapacity = 60
    private static let columns = 6
    private static let gap = 4

    /// The number of pictures written.
    public private(set) var count = 0
    private let folder: String
    private var files: [OutputFile] = []
    private var pool: FramePool?
    /// The pictures for the sheet. Only every `step`th one is kept.
    private var kept: [VideoFrame] = []
    private var step = 1

    /// Creates the folder if it does not exist.
    ///
    /// - Parameter folder: the folder.
    /// - Throws: ``/RillFiles/FileError``.
    public init(folder: String) throws(FileError) {
        self.folder = folder
        guard unsafe mkdir(folder, 0o777) != 0, errno != EEXIST else { return }
        throw .openFailed(path: folder, code: errno)
    }

    /// Writes a picture.
    public func consume(_ frame: VideoFrame) throws {
        try write(frame, "\(Self.name(of: frame.captureTime)).png")
        if count % step == 0 { try keep(frame) }
        count += 1
    }

    /// Writes the sheet.
    public func finish() throws {
        guard let first = kept.first else { return }
        try write(try sheet(of: first.resolution), Self.sheetName)
    }

    /// The files, in the order in which they were written.
    package var paths: [String] { files.map(\.path) }

    /// Gives the files their final names. Until then they are temporary files, which are removed with this object.
    public func commit() throws(FileError) {
        for file in files { try file.commit() }
    }

    private func write(_ frame: VideoFrame, _ name: String) throws(FileError) {
        let file = OutputFile(path: "\(folder)/\(name)")
        files.append(file)
        try PNGWriter.write(frame, to: file.partPath, name: file.path)
    }

    private func keep(_ frame: VideoFrame) throws(FrameError) {
        if pool == nil { pool = try FramePool(resolution: frame.resolution, capacity: Self.sheetCapacity + 1) }
        guard let copy = pool.flatMap({ frame.copied(into: $0) }) else { return }
        kept.append(copy)
        guard kept.count > Self.sheetCapacity else { return }
        kept = kept.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        step *= 2
    }

    private func sheet(of size: Resolution) throws(FrameError) -> VideoFrame {
        let columns = min(Self.columns, kept.count)
        let rows = (kept.count + columns - 1) / columns
        // Even positions, so that chroma samples line up.
        let (width, height) = (2 * size.chroma.width + Self.gap, 2 * size.chroma.height + Self.gap)
        let whole = Resolution(width: columns * width + Self.gap, height: rows * height + Self.gap)
        guard var target = try FramePool(resolution: whole, capacity: 1).makeFrame() else {
            throw .outOfMemory(byteCount: FrameLayout(.i420, whole).byteCount)
        }
        var planes = target.planes
        planes.fill(gray: 32)
        for (index, frame) in kept.enumerated() {
            planes.paste(frame, x: Self.gap + index % columns * width, y: Self.gap + index / columns * height)
        }
        return target.finish(captureTime: .zero, colorSpace: kept[0].colorSpace)
    }

    /// Returns `00-01-30.000`: hours, minutes and seconds, which sort alphabetically.
    static func name(of time: MediaTime) -> String {
        let milliseconds = max(0, time.nanoseconds) / 1_000_000
        func digits(_ value: Int64, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let seconds = milliseconds / 1000
        return "\(digits(seconds / 3600, 2))-\(digits(seconds / 60 % 60, 2))-\(digits(seconds % 60, 2))."
            + digits(milliseconds % 1000, 3)
    }
}

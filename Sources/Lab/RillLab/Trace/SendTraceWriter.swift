public import Rill
public import RillBeauty
import RillCodec
public import RillCore
import RillFiles

/// A writer of sending pipeline traces to a file, as text:
///
/// ```text
/// rill-trace 1
/// layers high low
/// high set codec=VP8 size=640x480 fps=30 bitrate=800k …
/// high frame 0 at 0
/// low set codec=VP8 size=160x120 fps=5 bitrate=45k …
/// low frame 0 at 0
/// high drop 1
/// high frame 2 at 66666667 key
/// high adapt size -1 because encodeTime
/// ```
///
/// After the line with the layers in order, each line starts with one of them, or with `*` for all: `* beauty 12
/// natural full` is the face processing from frame 12 on, and its level. Frames are counted from 0 as they arrived at
/// the layers; their times are in nanoseconds. `key` is a requested key frame, `restart` a restarted encoder,
/// `content=N` the number of a picture that was compared with the previous one, `limit=N` the most bytes of a frame.
/// `set` is written when the settings change. `adapt` is for human readers: its effect is in `set`.
public final class SendTraceWriter: SendTraceSink {
    static let firstLine = "rill-trace 1"

    private var output: ByteOutput?
    private var settings: [StreamLayer.RID: LayerSettings] = [:]
    private var pending: [UInt8] = []
    /// Bytes that are collected before they are written.
    private static let blockByteCount = 1 << 16

    /// Creates or empties a file; `-` is standard output.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - name: the file's name in errors; `nil` if it is the path.
    /// - Throws: ``TraceError/file(_:)``.
    public init(path: String, name: String? = nil) throws(TraceError) {
        do throws(FileError) { output = try ByteOutput(path: path, name: name) } catch { throw .file(error) }
        pending.append(contentsOf: (Self.firstLine + "\n").utf8)
    }

    /// Writes the layers.
    public func begin(_ layers: [StreamLayer.RID]) {
        append("layers " + layers.map(\.description).joined(separator: " "))
    }

    /// Writes an event of a layer.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - layer: the layer.
    /// - Throws: ``TraceError/file(_:)``.
    public func record(_ event: SendTraceEvent, of layer: StreamLayer.RID) throws(TraceError) {
        switch event {
        case .frame(let captureTime, let task):
            if settings[layer] != task.settings {
                settings[layer] = task.settings
                append("\(layer) set \(LayerSettingsNotation.text(of: task.settings))")
            }
            var line = "\(layer) frame \(task.frame) at \(captureTime.nanoseconds)"
            if task.isKeyFrameRequested { line += " key" }
            if task.isRestartRequested { line += " restart" }
            if let content = task.content { line += " content=\(content)" }
            if let limit = task.byteLimit { line += " limit=\(limit)" }
            append(line)
        case .dropped(let frame): append("\(layer) drop \(frame)")
        case .adapted(let step): append("\(layer) adapt \(step.degradation) because \(step.reason.rawValue)")
        }
        if pending.count >= Self.blockByteCount { try flush() }
    }

    /// Writes the face processing from a frame on.
    ///
    /// - Parameters:
    ///   - options: the face processing.
    ///   - level: the level of the filter.
    ///   - frame: the first frame with these options.
    /// - Throws: ``TraceError/file(_:)``.
    public func record(
        beauty options: BeautyOptions, at level: BeautyLevel, fromFrame frame: Int
    ) throws(TraceError) {
        append("* beauty \(frame) \(options) \(level)")
    }

    /// Writes the checksum of the cascade.
    public func record(cascade: FaceCascade?) throws(TraceError) {
        append("* cascade \(cascade.map { SendTrace.text(ofChecksum: $0.checksum) } ?? "none")")
    }

    /// Writes faces that the app gave for a frame.
    public func record(givenFaces faces: [FaceRegion], fromFrame frame: Int) throws(TraceError) {
        append((["* faces \(frame)"] + faces.map { "\($0.x),\($0.y),\($0.side)" }).joined(separator: " "))
    }

    /// Writes what is pending, and closes the file.
    public func finish() throws(TraceError) {
        try flush()
        guard var output = output.take() else { return }
        do throws(FileError) { try output.finish() } catch { throw .file(error) }
    }

    private func append(_ line: String) {
        pending.append(contentsOf: line.utf8)
        pending.append(UInt8(ascii: "\n"))
    }

    private func flush() throws(TraceError) {
        let bytes = pending
        do throws(FileError) { try output?.write(bytes.span) } catch { throw .file(error) }
        pending.removeAll(keepingCapacity: true)
    }
}

public import RillBeauty
public import RillCodec
public import RillCore
public import RillFiles

/// A trace read from a file: what went into each layer's encoder, in order.
public struct SendTrace: Sendable {
    /// The input of one layer's encoder.
    public struct Layer: Sendable {
        /// The layer's name.
        public let rid: StreamLayer.RID
        /// Frames replaced by newer ones.
        public fileprivate(set) var framesDropped = 0
        /// How often the layer's size or rate was adapted.
        public fileprivate(set) var adaptations = 0

        /// Frames that were encoded.
        public var frameCount: Int { entries.count }
        /// The initial settings of the layer; `nil` if no frame of it was encoded.
        public var initialSettings: LayerSettings? { entries.isEmpty ? nil : settings[0] }

        fileprivate var settings: [LayerSettings] = []
        fileprivate var entries: [Entry] = []

        fileprivate init(rid: StreamLayer.RID) {
            self.rid = rid
        }

        /// The capture time and task of the encoded frame at `index`.
        public subscript(index: Int) -> (captureTime: MediaTime, task: LayerTask) {
            let entry = entries[index]
            var task = LayerTask(settings: settings[entry.settings], frame: entry.frame)
            task.isKeyFrameRequested = entry.isKeyFrame
            task.isRestartRequested = entry.isRestart
            task.content = entry.content
            task.byteLimit = entry.byteLimit
            return (entry.captureTime, task)
        }
    }

    fileprivate struct Entry: Sendable {
        var frame: Int
        var captureTime: MediaTime
        /// The index in the layer's list of settings.
        var settings: Int
        var isKeyFrame = false
        var isRestart = false
        var content: Int?
        var byteLimit: Int?
    }

    /// The layers, in the order of the pipeline.
    public private(set) var layers: [Layer] = []

    /// The face processing from a frame on.
    public struct Beauty: Sendable, Equatable {
        /// The first frame that it applies to.
        public var frame: Int
        /// The options.
        public var options: BeautyOptions
        /// The level that the deadline allowed.
        public var level: BeautyLevel
    }

    /// The face processing, in the order of frames; the first entry is the initial state. Empty if there was none.
    public internal(set) var beauty: [Beauty] = []

    /// The checksum of the cascade that found the faces (``/RillBeauty/FaceCascade/checksum``); `nil` if none did.
    public internal(set) var cascade: UInt64?

    /// All faces that the app gave for a frame.
    public struct GivenFaces: Sendable, Equatable {
        /// The frame.
        public var frame: Int
        /// The faces; none if the app said so.
        public var faces: [FaceRegion]
    }

    /// The faces that the app gave, in the order of frames.
    public internal(set) var givenFaces: [GivenFaces] = []

    /// Reads a trace; `-` is standard input. Its memory grows with the file: about 50 bytes per line.
    ///
    /// - Parameter path: the file.
    /// - Throws: ``TraceError``.
    public init(path: String) throws(TraceError) {
        let input: ByteInput
        do throws(FileError) { input = try ByteInput(path: path) } catch { throw .file(error) }
        try self.init(input, path: path)
    }

    /// Parses a trace in memory.
    ///
    /// - Parameter text: the trace.
    /// - Throws: ``TraceError/damaged(path:line:reason:)``.
    public init(parsing text: Span<UInt8>) throws(TraceError) {
        try self.init(ByteInput(bytes: text.array), path: "memory")
    }

    private init(_ input: consuming ByteInput, path: String) throws(TraceError) {
        var input = input
        var number = 0
        while let line = try Self.line(of: &input) {
            number += 1
            let reason =
                switch number {
                case 1: Self.refusal(ofFirstLine: line)
                case 2: addLayers(line)
                default: add(line)
                }
            if let reason {
                throw .damaged(path: path, line: number, reason: reason)
            }
        }
        guard number > 0 else { throw .damaged(path: path, line: 1, reason: "the file is empty") }
    }

    private static let longestLine = 4096

    /// The next line without its end; `nil` after the last.
    private static func line(of input: inout ByteInput) throws(TraceError) -> String? {
        do throws(FileError) {
            guard try input.fill(1) > 0 else { return nil }
            let count = try input.lineByteCount(limit: longestLine)
            defer { input.consume(count) }
            return String(decoding: input.buffered.extracting(first: count - 1).array, as: UTF8.self)
        } catch {
            throw .file(error)
        }
    }

    private static func refusal(ofFirstLine line: String) -> String? {
        line == SendTraceWriter.firstLine ? nil : "a trace starts with \"\(SendTraceWriter.firstLine)\""
    }

    // MARK: - Lines

    /// Parses one line; returns a sentence on what is wrong with it, or `nil`.
    private mutating func add(_ line: String) -> String? {
        let words = line.split(separator: " ")
        if words.first == "*" { return addProcessing(Array(words.dropFirst())) }
        guard words.count >= 3, let rid = StreamLayer.RID(validating: words[0]) else {
            return "a line has a layer, a verb and its arguments"
        }
        guard let index = layers.firstIndex(where: { $0.rid == rid }) else {
            return "\(rid) is not a layer of the trace"
        }
        switch words[1] {
        case "set": return addSettings(words.dropFirst(2), to: index)
        case "frame": return addFrame(words.dropFirst(2), to: index)
        case "drop": layers[index].framesDropped += 1
        case "adapt": layers[index].adaptations += 1
        default: return "\"\(words[1])\" is not an event of a layer"
        }
        return nil
    }

    private mutating func addLayers(_ line: String) -> String? {
        let words = line.split(separator: " ")
        let rids = words.dropFirst().compactMap { StreamLayer.RID(validating: $0) }
        guard words.first == "layers", rids.count == words.count - 1, (1...LayerTasks.capacity).contains(rids.count),
            Set(rids).count == rids.count
        else { return "the second line names one to \(LayerTasks.capacity) different layers" }
        layers = rids.map(Layer.init(rid:))
        return nil
    }

    private mutating func addSettings(_ words: ArraySlice<Substring>, to index: Int) -> String? {
        let rid = layers[index].rid
        switch LayerSettingsNotation.parse(words, rid: rid) {
        case .refused(let reason): return reason
        case .settings(let settings):
            let codec = layers[index].settings.first?.encoder.codec
            guard codec == nil || codec == settings.encoder.codec else { return "the codec of layer \(rid) changes" }
            layers[index].settings.append(settings)
            return nil
        }
    }

    private mutating func addFrame(_ words: ArraySlice<Substring>, to index: Int) -> String? {
        guard !layers[index].settings.isEmpty else { return "layer \(layers[index].rid) has no settings yet" }
        let words = Array(words)
        guard words.count >= 3, words[1] == "at", let frame = Int(words[0]), let nanoseconds = Int64(words[2]) else {
            return "a frame has a number and a time"
        }
        // Thirty years: no sum or difference of two such times overflows.
        guard nanoseconds.magnitude <= 1_000_000_000_000_000_000 else { return "the time \(nanoseconds) is too large" }
        guard frame > layers[index].entries.last?.frame ?? -1 else {
            return "frame \(frame) is out of order"
        }
        var entry = Entry(
            frame: frame, captureTime: MediaTime(nanoseconds: nanoseconds),
            settings: layers[index].settings.count - 1)
        for word in words.dropFirst(3) {
            if word == "key" {
                entry.isKeyFrame = true
            } else if word == "restart" {
                entry.isRestart = true
            } else if word.hasPrefix("content="), let content = Int(word.dropFirst("content=".count)) {
                entry.content = content
            } else if word.hasPrefix("limit="), let limit = Int(word.dropFirst("limit=".count)), limit > 0 {
                entry.byteLimit = limit
            } else {
                return "\"\(word)\" is not a request for a frame"
            }
        }
        layers[index].entries.append(entry)
        return nil
    }
}

/// Why a trace cannot be read, written or replayed.
public enum TraceError: Error, Equatable, Sendable {
    /// The file cannot be read or written.
    case file(FileError)
    /// A line is not valid; lines are counted from 1.
    case damaged(path: String, line: Int, reason: String)
    /// The source ended before the next frame that a layer must encode; both are counted from 0.
    case sourceTooShort(frameCount: Int, wantedFrame: Int)
    /// The run's faces were found by a cascade with the checksum `wanted`, and there is another one, or none.
    case otherCascade(wanted: String, found: String)
    /// A layer of the trace has no output, or an output has no layer of that name.
    case unknownLayer(String)
}

extension TraceError: CustomStringConvertible {
    /// The case with its numbers in one line, for a log or a person.
    public var description: String {
        switch self {
        case .file(let error): error.description
        case .damaged(let path, let line, let reason): "\(path), line \(line): \(reason)"
        case .sourceTooShort(let count, let wanted):
            "the source has \(count) frames, and the trace goes on with frame \(wanted): is it the clip of that trace?"
        case .otherCascade(let wanted, let found):
            "the trace's faces were found by the cascade \(wanted); here is \(found)"
        case .unknownLayer(let rid): "the trace and the outputs do not have the same layers: \(rid)"
        }
    }
}

import RillCodec
import RillCore
import RillImage

/// A layer's settings as a trace writes them: `size=640x480 fps=30 bitrate=800k codec=VP8 …`.
///
/// Every setting is written, including defaults: a default may change from one version to the next.
struct LayerSettingsNotation {
    /// One setting: how it is written and parsed; `set` returns `false` for an invalid text.
    private struct Field {
        var key: String
        var text: (LayerSettings) -> String
        var set: (inout LayerSettings, Substring) -> Bool
        /// Whether traces of earlier versions lack it: then it has its default.
        var isOptional = false
    }

    /// The settings in one line, without the name of the layer.
    static func text(of settings: LayerSettings) -> String {
        (["codec=\(settings.encoder.codec.rawValue)"] + fields.map { "\($0.key)=\($0.text(settings))" })
            .joined(separator: " ")
    }

    /// Parses what ``text(of:)`` writes.
    ///
    /// - Parameters:
    ///   - words: the words of the line.
    ///   - rid: the layer.
    /// - Returns: the settings of the layer, or a sentence on what is wrong.
    static func parse(_ words: some Sequence<Substring>, rid: StreamLayer.RID) -> Parsed {
        var values: [Substring: Substring] = [:]
        for word in words {
            guard let mark = word.firstIndex(of: "=") else { return .refused("\"\(word)\" is not a setting") }
            guard values.updateValue(word[word.index(after: mark)...], forKey: word[..<mark]) == nil else {
                return .refused("\"\(word[..<mark])\" occurs twice")
            }
        }
        guard let codec = values.removeValue(forKey: "codec").flatMap({ VideoCodec(rawValue: String($0)) }) else {
            return .refused("the codec is missing")
        }
        var settings = LayerSettings.low(codec)
        settings.rid = rid
        for field in fields {
            guard let value = values.removeValue(forKey: Substring(field.key)) else {
                if field.isOptional { continue }
                return .refused("\"\(field.key)\" is missing")
            }
            guard field.set(&settings, value) else { return .refused("\(field.key) cannot be \"\(value)\"") }
        }
        if let unknown = values.keys.min() { return .refused("\"\(unknown)\" is not a setting of a layer") }
        do throws(CodecError) { try settings.validate() } catch { return .refused("\(error)") }
        return .settings(settings)
    }

    /// The result of parsing.
    enum Parsed {
        case settings(LayerSettings)
        case refused(String)
    }

    private static var fields: [Field] {
        [
            value(
                "size", \.resolution, { "\($0)" },
                { text in attempt { () throws(NotationError) in try Resolution(notation: text) } }),
            value(
                "fps", \.frameRate, { "\($0)" },
                { text in attempt { () throws(NotationError) in try FrameRate(notation: text) } }),
            value("every-frame", \.takesEveryFrame, { "\($0)" }, { Bool(String($0)) }),
            value(
                "bitrate", \.bitrate, { "\($0)" },
                { text in attempt { () throws(NotationError) in try Bitrate(notation: text) } }),
            value("aspect", \.aspect, \.rawValue, { AspectPolicy(rawValue: String($0)) }),
            value(
                "skip", \.skipsUnchangedFrames, { $0.map { "\($0)" } ?? "auto" }, { optional($0) { Bool(String($0)) } }),
            value("content", \.encoder.content, \.rawValue, { EncoderSettings.Content(rawValue: String($0)) }),
            value("effort", \.encoder.effort, \.rawValue, { EncoderSettings.Effort(rawValue: String($0)) }),
            value("quality", \.encoder.quality, { $0.map { "\($0)" } ?? "auto" }, { optional($0) { Int($0) } }),
            value("lag", \.encoder.lagInFrames, { "\($0)" }, { Int($0) }),
            value("q", \.encoder.quantizers, { "\($0.lowerBound)-\($0.upperBound)" }, range),
            value("threads", \.encoder.threadCount, { "\($0)" }, { Int($0) }),
            value("speed", \.encoder.speed, { $0.map { "\($0)" } ?? "auto" }, { optional($0) { Int($0) } }),
            value("pattern", \.encoder.temporalPattern, \.rawValue, { TemporalPattern(rawValue: String($0)) }),
            value("key-interval", \.encoder.maximumKeyFrameInterval, { "\($0)" }, { Int($0) }),
            value("key-percent", \.encoder.maximumKeyFramePercentage, { "\($0)" }, { Int($0) }),
            value("static", \.encoder.staticThreshold, { "\($0)" }, { Int($0) }),
            value("denoise", \.encoder.isDenoising, { "\($0)" }, { Bool(String($0)) }),
            value("drop", \.encoder.dropThreshold, { "\($0)" }, { Int($0) }),
            value("undershoot", \.encoder.undershootPercentage, { "\($0)" }, { Int($0) }),
            value("overshoot", \.encoder.overshootPercentage, { "\($0)" }, { Int($0) }),
            value("buffer", \.encoder.bufferSize, \.notation, duration),
            value("buffer-initial", \.encoder.initialBufferLevel, \.notation, duration),
            value("buffer-optimal", \.encoder.optimalBufferLevel, \.notation, duration),
            burstLimit, stillBlocks,
        ]
    }

    private static var stillBlocks: Field {
        var field = value("still", \.encoder.skipsStillBlocks, { "\($0)" }, { Bool(String($0)) })
        field.isOptional = true
        return field
    }

    private static var burstLimit: Field {
        var field = value(
            "burst", \.encoder.burstLimit, { $0.map(\.notation) ?? "auto" }, { optional($0, duration) })
        field.isOptional = true
        return field
    }

    private static func value<Value>(
        _ key: String, _ path: WritableKeyPath<LayerSettings, Value>,
        _ text: @escaping (Value) -> String, _ parse: @escaping (Substring) -> Value?
    ) -> Field {
        Field(
            key: key, text: { text($0[keyPath: path]) },
            set: { settings, word in
                guard let value = parse(word) else { return false }
                settings[keyPath: path] = value
                return true
            })
    }
}

/// `nil` if a notation rejects its text: the caller reports which setting it was.
private func attempt<Value>(_ body: () throws(NotationError) -> Value) -> Value? {
    do throws(NotationError) { return try body() } catch { return nil }
}

private func duration(_ text: Substring) -> MediaDuration? {
    attempt { () throws(NotationError) in try MediaDuration(notation: text) }
}

private func range(_ text: Substring) -> ClosedRange<Int>? {
    let bounds = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard bounds.count == 2, let lower = bounds[0], let upper = bounds[1], lower <= upper else { return nil }
    return lower...upper
}

/// `auto` is a value too: that of an optional setting without a value.
private func optional<Value>(_ text: Substring, _ parse: (Substring) -> Value?) -> Value?? {
    text == "auto" ? .some(nil) : parse(text).map { .some($0) }
}

/// a=rid: the identifier of an RTP stream and its restrictions (RFC 8851).
public struct RestrictionIdentifier: Equatable, Sendable {
    /// The identifier: letters, digits, `-` and `_`.
    public var id: String
    /// The direction of the stream.
    public var direction: Direction
    /// pt=: the payload types that the stream may use; empty for all.
    public var payloadTypes: [PayloadType]
    /// `max-width`, `max-fps` and so on, in order.
    public var restrictions: [RTPFormat.Parameter]

    /// The direction of a stream, as seen by the writer of the description.
    public enum Direction: String, Sendable, CaseIterable {
        /// From the writer.
        case send
        /// To the writer.
        case receive = "recv"
    }

    /// The stream with the identifier `id`.
    public init(
        _ id: String, _ direction: Direction, payloadTypes: [PayloadType] = [],
        restrictions: [RTPFormat.Parameter] = []
    ) {
        self.id = id
        self.direction = direction
        self.payloadTypes = payloadTypes
        self.restrictions = restrictions
    }

    /// `hi send pt=96,97;max-width=1280`.
    init?(_ text: Substring) {
        let (id, rest) = text.trimmed.cut(at: Sign.space)
        guard !id.isEmpty, let (word, list) = rest?.trimmed.cut(at: Sign.space),
            let direction = Direction(rawValue: String(word))
        else { return nil }
        var parameters = RTPFormat.Parameter.list(list ?? "")
        var types: [PayloadType] = []
        if parameters.first?.name == "pt" {
            for piece in (parameters.removeFirst().value ?? "")[...].pieces(at: Sign.comma) {
                // There are only 128 payload types, so a longer list is invalid.
                guard let type = piece.trimmed.payloadType, types.count < 128 else { return nil }
                types.append(type)
            }
        }
        self.init(String(id), direction, payloadTypes: types, restrictions: parameters)
    }

    var text: String {
        var pieces = restrictions.map(\.text)
        if !payloadTypes.isEmpty {
            pieces.insert("pt=" + payloadTypes.map(\.description).joined(separator: ","), at: 0)
        }
        return "\(id) \(direction.rawValue)" + (pieces.isEmpty ? "" : " " + pieces.joined(separator: ";"))
    }
}

/// a=simulcast: the streams of one source that are sent, or can be received, at the same time (RFC 8853 §5.1).
///
/// ```swift
/// Simulcast(send: [["hi"], ["mid"], ["lo"]])     // a=simulcast:send hi;mid;lo
/// ```
public struct Simulcast: Equatable, Sendable {
    /// The streams sent; empty without `send`.
    public var send: [Stream]
    /// The streams received; empty without `recv`.
    public var receive: [Stream]

    /// One stream of a simulcast: at least one alternative, preferred first.
    public struct Stream: Equatable, Sendable, ExpressibleByArrayLiteral {
        /// The alternatives, of which one is used; each refers to a ``RestrictionIdentifier``.
        public var alternatives: [Alternative]

        /// A stream with these alternatives.
        public init(_ alternatives: [Alternative]) { self.alternatives = alternatives }
        /// A stream with these alternatives, none of them paused.
        public init(arrayLiteral elements: String...) { alternatives = elements.map { Alternative($0) } }
    }

    /// One alternative of a simulcast stream.
    public struct Alternative: Equatable, Sendable {
        /// The identifier of its ``RestrictionIdentifier``.
        public var rid: String
        /// `~`: whether it is initially paused.
        public var isPaused: Bool

        /// The alternative `rid`.
        public init(_ rid: String, isPaused: Bool = false) {
            self.rid = rid
            self.isPaused = isPaused
        }
    }

    /// A simulcast of streams sent and received. At least one of the two must not be empty.
    public init(send: [Stream] = [], receive: [Stream] = []) {
        self.send = send
        self.receive = receive
    }

    /// `send hi,~alt;lo recv 3`.
    init?(_ text: Substring) {
        let words = text.words
        guard words.count == 2 || words.count == 4 else { return nil }
        self.init()
        for index in stride(from: 0, to: words.count, by: 2) {
            guard let streams = Simulcast.streams(words[index + 1]) else { return nil }
            switch RestrictionIdentifier.Direction(rawValue: String(words[index])) {
            case .send where send.isEmpty: send = streams
            case .receive where receive.isEmpty: receive = streams
            default: return nil
            }
        }
    }

    private static func streams(_ text: Substring) -> [Stream]? {
        var streams: [Stream] = []
        for piece in text.pieces(at: Sign.semicolon) {
            var stream = Stream([])
            for name in piece.pieces(at: Sign.comma) {
                let isPaused = name.utf8.first == UInt8(ascii: "~")
                let rid = isPaused ? name[name.utf8.index(after: name.startIndex)...] : name
                guard !rid.isEmpty else { return nil }
                stream.alternatives.append(Alternative(String(rid), isPaused: isPaused))
            }
            streams.append(stream)
        }
        return streams
    }

    var text: String {
        var words: [String] = []
        if !send.isEmpty { words += ["send", Simulcast.text(send)] }
        if !receive.isEmpty { words += ["recv", Simulcast.text(receive)] }
        return words.joined(separator: " ")
    }

    private static func text(_ streams: [Stream]) -> String {
        streams.map { stream in
            stream.alternatives.map { ($0.isPaused ? "~" : "") + $0.rid }.joined(separator: ",")
        }.joined(separator: ";")
    }
}

/// One of our own username fragments as the key of a table: at most 32 bytes, held in place.
///
/// Fragments have no byte of zero, so that the padding is unambiguous.
struct UsernameFragmentKey: Hashable {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init?(_ fragment: String) {
        let bytes = Array(fragment.utf8)
        self.init(bytes.span)
    }

    /// The part of a request's USERNAME before the colon; `nil` if that has no length that one of ours may have.
    init?(ofUsername name: Span<UInt8>) {
        var count = 0
        while count < name.count, name[count] != UInt8(ascii: ":") {
            count &+= 1
            guard count <= ICECredentials.maximumOwnFragmentByteCount else { return nil }
        }
        guard count < name.count else { return nil }
        self.init(name.extracting(first: count))
    }

    private init?(_ bytes: Span<UInt8>) {
        guard (4...ICECredentials.maximumOwnFragmentByteCount).contains(bytes.count) else { return nil }
        func word(at start: Int) -> UInt64 {
            var word: UInt64 = 0
            for index in start..<start + 8 { word = word << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
            return word
        }
        words = (word(at: 0), word(at: 8), word(at: 16), word(at: 24))
    }

    static func == (a: UsernameFragmentKey, b: UsernameFragmentKey) -> Bool { a.words == b.words }

    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        guard words.1 != 0 else { return }
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

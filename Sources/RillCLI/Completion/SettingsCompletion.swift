/// What can come next in a text of settings, `loss=2%,delay=40ms`: what the shells offer for `--network` and `--beauty`.
struct SettingsCompletion {
    /// One setting.
    struct Setting {
        var name: String
        /// A word on it, for shells that show one.
        var about: String
        /// Values to choose from, or an example.
        var values: [String]
    }

    /// A text that can go on from what was typed.
    struct Candidate: Equatable {
        var text: String
        var about = ""
    }

    /// What can stand first instead of a setting.
    var presets: [String] = []
    var settings: [Setting]

    /// The whole texts that begin as `typed` and go one step further: a name that is not there yet, or its value.
    func candidates(after typed: String) -> [Candidate] {
        let end = typed.lastIndex(of: ",").map { typed.index(after: $0) } ?? typed.startIndex
        let (before, word) = (String(typed[..<end]), typed[end...])
        if let mark = word.firstIndex(of: "=") {
            let values = settings.first { $0.name == word[..<mark] }?.values ?? []
            return values.map { Candidate(text: "\(before)\(word[...mark])\($0)") }
                .filter { $0.text.hasPrefix(typed) }
        }
        let taken = before.split(separator: ",").map { $0.prefix { $0 != "=" } }
        let names = settings.filter { !taken.contains(Substring($0.name)) }
            .map { Candidate(text: "\(before)\($0.name)=", about: $0.about) }
        return ((before.isEmpty ? presets.map { Candidate(text: $0) } : []) + names)
            .filter { $0.text.hasPrefix(typed) }
    }
}

import Rill
import RillCore
import RillLink

/// Completes a list of settings, as in `loss=2%,delay=40ms`, for `--network` and `--beauty`.
struct SettingsCompletion {
    /// One setting.
    struct Setting {
        var name: String
        /// A short description, for shells that show one.
        var about: String
        /// The values to offer, or an example.
        var values: [String]
    }

    /// A text that continues the typed text.
    struct Candidate: Equatable {
        var text: String
        var about = ""
    }

    /// The names that may come first instead of a setting.
    var presets: [String] = []
    var settings: [Setting]

    /// The texts that continue `typed` by one step: the name of an unused setting, or the value of a setting.
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

extension SettingsCompletion {
    /// `--network`.
    static let network = SettingsCompletion(
        settings: LinkSettings.Name.allCases.map { name in
            switch name {
            case .order:
                Setting(name: name.rawValue, about: "by-delay or kept", values: PacketOrder.allCases.map(\.rawValue))
            // No example of a file or seed is useful.
            case .trace, .seed: Setting(name: name.rawValue, about: "as in \(name.example)", values: [])
            default: Setting(name: name.rawValue, about: "as in \(name.example)", values: [name.example])
            }
        })

    /// `--beauty`.
    static let beauty = SettingsCompletion(
        presets: ["natural", "strong", "off"],
        settings: ["lightening", "smoothness", "redness", "sharpness", "lips", "eyes"].map {
            Setting(name: $0, about: "0 to 1", values: ["0.3", "0.5", "0.7"])
        } + [
            Setting(
                name: "contrast", about: "of the lightening",
                values: BeautyOptions.LighteningContrast.allCases.map(\.rawValue))
        ])
}

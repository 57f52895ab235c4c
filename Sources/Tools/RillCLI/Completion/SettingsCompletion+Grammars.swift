import Rill
import RillCore
import RillLink

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

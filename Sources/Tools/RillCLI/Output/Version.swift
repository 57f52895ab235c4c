/// The version of the command, for `rill --version`, pages and manifests.
enum Version {
    static let number = "0.2.0"
    static let text = "rill " + number
}

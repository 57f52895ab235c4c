/// The version of the command, as `rill --version` and what it makes say it.
enum Version {
    static let number = "0.2.0"
    static let text = "rill " + number
}

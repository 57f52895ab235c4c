#if Server
import Configuration
import Foundation
import RillFiles

/// The options of `rill serve` in a file and in its environment, as arguments of the command line.
///
/// An option that is given counts before a variable, and that before the file. All have the options' names:
/// `--secret-file`, `RILL_SERVE_SECRET_FILE`, `"secretFile"`.
struct ServeConfiguration {
    /// What a value is.
    enum Kind {
        case text, number
        /// Several values, each with the option's name before it.
        case list
        /// Several values after one name.
        case words
        /// `true` gives the option, which has no value.
        case flag
    }

    /// The options of `rill serve`.
    static let options: KeyValuePairs<String, Kind> = [
        "http": .number, "host": .text, "tls": .words, "secret-file": .text, "ice-server": .list,
        "turn-secret-file": .text, "connections": .number, "request-timeout": .number, "idle-timeout": .number,
        "address-connections": .number, "address-requests": .number, "trusted-proxy": .list, "allow-host": .list,
        "media": .number, "announce": .list, "sessions": .number, "token-sessions": .number,
        "address-sessions": .number, "stream-viewers": .number, "half-open": .number, "data": .text,
        "all-chats": .number, "all-images": .number, "room-images": .number, "verbose": .flag,
    ]

    /// More than any configuration has.
    private static let largestFile = 1 << 20

    private let environment: [String: String]
    private let file: JSONSnapshot?
    private let fileName: String

    /// The arguments of `rill`, completed by what configures its server.
    ///
    /// - Parameter words: the arguments.
    /// - Throws: `CommandError`: a configuration that cannot be used.
    static func complete(_ words: [String]) throws -> [String] {
        guard words.first == "serve", !words.contains("--help"), !words.contains("-h") else { return words }
        let given = Array(words.dropFirst())
        let configuration = try ServeConfiguration(given, environment: ProcessInfo.processInfo.environment)
        return try ["serve"] + configuration.arguments(beside: given) + given
    }

    /// Reads the file that the arguments or the environment name.
    ///
    /// - Parameters:
    ///   - words: the arguments after `serve`.
    ///   - environment: the process's environment.
    /// - Throws: `CommandError`: no such file, not JSON, names or values that no option has.
    init(_ words: [String], environment: [String: String]) throws {
        self.environment = environment.filter { $0.key.hasPrefix("RILL_SERVE_") }
        let known = Set(ServeConfiguration.options.map { ServeConfiguration.variable(of: $0.key) })
        let name = ServeConfiguration.variable(of: "config")
        if let unknown = self.environment.keys.sorted().first(where: { $0 != name && !known.contains($0) }) {
            throw CommandError("\(unknown): `rill serve` has no such option")
        }
        guard let path = ServeConfiguration.value(of: "config", in: words) ?? environment[name] else {
            (file, fileName) = (nil, "")
            return
        }
        (file, fileName) = (try ServeConfiguration.read(path), path)
    }

    private static func read(_ path: String) throws -> JSONSnapshot {
        let data = try Data(contentsOf: URL(filePath: path))
        guard data.count <= largestFile else {
            throw CommandError("\(path): \(data.count) bytes; a configuration has at most \(largestFile)")
        }
        do {
            let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
            let known = Set(options.map { key(of: $0.key) })
            if let unknown = object.keys.sorted().first(where: { !known.contains($0) }) {
                throw CommandError(
                    "\(path): `rill serve` has no option \"\(unknown)\"; it has \(known.sorted().joined(separator: ", "))"
                )
            }
            return try JSONSnapshot(data: data.bytes, providerName: path, parsingOptions: .default)
        } catch let error as CommandError { throw error } catch {
            throw CommandError("\(path) is no object of JSON with texts, numbers, lists and true or false: \(error)")
        }
    }

    /// The options that were not given as arguments.
    ///
    /// - Parameter words: the arguments after `serve`.
    /// - Returns: arguments to put before them.
    /// - Throws: `CommandError`: a value of another type than its option's.
    func arguments(beside words: [String]) throws -> [String] {
        var arguments: [String] = []
        for (name, kind) in ServeConfiguration.options where !ServeConfiguration.isGiven(name, in: words) {
            guard let values = try values(of: name, kind) else { continue }
            switch kind {
            case .text, .number: arguments += ["--\(name)"] + values
            case .words: if !values.isEmpty { arguments += ["--\(name)"] + values }
            case .list: for value in values { arguments += ["--\(name)", value] }
            case .flag: if values == ["true"] { arguments.append("--\(name)") }
            }
        }
        return arguments
    }

    /// The values of an option; `nil` if it has none here.
    private func values(of name: String, _ kind: Kind) throws -> [String]? {
        let variable = ServeConfiguration.variable(of: name)
        if let text = environment[variable] {
            switch kind {
            case .text: return [text]
            // Servers of ICE have commas.
            case .list, .words: return text.split(separator: " ").map(String.init)
            case .number:
                guard Int(text) != nil else { throw CommandError("\(variable) is \"\(text)\" and no whole number") }
                return [text]
            case .flag:
                guard ["true", "false"].contains(text) else {
                    throw CommandError("\(variable) is \"\(text)\"; it may be true or false")
                }
                return [text]
            }
        }
        guard let file else { return nil }
        let key = ServeConfiguration.key(of: name)
        func content(_ type: ConfigType, _ meaning: String) throws -> ConfigContent? {
            do { return try file.value(forKey: AbsoluteConfigKey(ConfigKey([key])), type: type).value?.content } catch {
                throw CommandError("\(fileName): \"\(key)\" is not \(meaning)")
            }
        }
        switch kind {
        case .text: return try content(.string, "a text").map { if case .string(let text) = $0 { [text] } else { [] } }
        case .number:
            return try content(.int, "a whole number").map { if case .int(let count) = $0 { ["\(count)"] } else { [] } }
        case .list, .words:
            return try content(.stringArray, "a list of texts").map {
                if case .stringArray(let texts) = $0 { texts } else { [] }
            }
        case .flag:
            return try content(.bool, "true or false").map { if case .bool(let isOn) = $0 { ["\(isOn)"] } else { [] } }
        }
    }

    // MARK: Names

    /// `secretFile` of `secret-file`.
    static func key(of name: String) -> String {
        let parts = name.split(separator: "-").map(String.init)
        return parts[0] + parts.dropFirst().map(\.capitalized).joined()
    }

    /// `RILL_SERVE_SECRET_FILE` of `secret-file`.
    static func variable(of name: String) -> String {
        "RILL_SERVE_" + name.uppercased().replacing("-", with: "_")
    }

    private static func isGiven(_ name: String, in words: [String]) -> Bool {
        words.contains { $0 == "--\(name)" || $0.hasPrefix("--\(name)=") }
    }

    private static func value(of name: String, in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word.hasPrefix("--\(name)=") { return String(word.dropFirst("--\(name)=".count)) }
            if word == "--\(name)", index + 1 < words.count { return words[index + 1] }
        }
        return nil
    }
}
#endif

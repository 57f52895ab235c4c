#if Server
import ArgumentParser
import Foundation
import RillCore
import RillRoomClient
import RillWHIP

/// How a server is reached: the options that `rill publish`, `rill watch` and `rill join` share.
struct EndpointOptions: ParsableArguments {
    @Option(help: "The bearer token. Other users of this machine see it; --token-file hides it.")
    var token: String?

    @Option(help: "A file with the bearer token.", completion: .file())
    var tokenFile: String?

    @Option(help: "Trust also the certificates in this PEM file.", completion: .named(["pem", "crt"]))
    var ca: String?

    @Flag(help: "Trust any server: anybody on the path can read and change everything.")
    var insecure = false

    @Option(
        help: "How long to try without a connection, at the start and whenever one is lost (default: 60s).",
        transform: durationNotation)
    var wait: MediaDuration = .seconds(60)

    /// A client of the endpoint.
    ///
    /// - Throws: ``CommandError`` or `ValidationError`.
    func client(_ purpose: WHIPPurpose, at url: String, from now: MediaTime) throws -> WHIPClient {
        var settings = WHIPClientSettings(token: try readToken())
        settings.connectTimeout = wait
        do { return try WHIPClient(purpose, at: url, settings, from: now) } catch { throw ValidationError("\(error)") }
    }

    /// What sends the client's requests. Close it.
    ///
    /// - Throws: `ValidationError` for certificates that cannot be read.
    func http() throws -> HTTPRequests {
        do { return try HTTPRequests(trusting: ca, orAnybody: insecure) } catch {
            throw ValidationError("--ca \(ca ?? ""): not a readable PEM file of certificates")
        }
    }

    /// What opens WebSockets.
    ///
    /// - Throws: `ValidationError` for certificates that cannot be read.
    func webSockets(to url: RoomURL) throws -> RoomWebSockets {
        do { return try RoomWebSockets(url, trusting: ca, orAnybody: insecure) } catch {
            throw ValidationError("--ca \(ca ?? ""): not a readable PEM file of certificates")
        }
    }

    /// The token that was given; `nil` for none.
    func readToken() throws -> String? {
        guard let tokenFile else { return token }
        guard let data = try? FileHandle(forReadingAtPath: tokenFile)?.read(upToCount: 8192) else {
            throw CommandError("\(tokenFile): no such file, or it cannot be read or is empty", .unreadableInput)
        }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw CommandError("\(tokenFile): no token", .unreadableInput) }
        return text
    }

    /// Whether a text is meant as a URL.
    static func isURL(_ text: String) -> Bool {
        ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
    }

    func validate() throws {
        if token != nil, tokenFile != nil { throw ValidationError("--token and --token-file contradict each other") }
        if insecure, ca != nil { throw ValidationError("--insecure trusts any server: leave --ca out") }
        guard wait > .zero else { throw ValidationError("--wait must be greater than zero") }
    }
}

extension ValidationError {
    /// What was given is not a URL.
    static func notURL(_ text: String, like example: String) -> ValidationError {
        ValidationError("\"\(text)\" is not a URL: expected one like \(example)")
    }
}
#endif

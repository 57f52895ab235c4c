#if Rooms
import Foundation

/// Where the WebSocket of a server's rooms is: `https://HOST` or `https://HOST/rooms`, and the same with `http`, `ws`
/// and `wss`.
public struct RoomURL: Equatable, Sendable {
    /// Whether the connection is encrypted.
    public let isSecure: Bool
    /// The host's name, or its address without brackets.
    public let host: String
    /// The port.
    public let port: Int
    /// The path.
    public let path: String

    /// Reads a URL of HTTP or of WebSocket. Without a path it is `/rooms`.
    public init?(_ text: String) {
        guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty, url.user == nil,
            url.query == nil, url.fragment == nil
        else { return nil }
        switch url.scheme?.lowercased() {
        case "http", "ws": isSecure = false
        case "https", "wss": isSecure = true
        default: return nil
        }
        port = url.port ?? (isSecure ? 443 : 80)
        guard (1...65_535).contains(port) else { return nil }
        // Of an address of IPv6 the brackets belong to the URL.
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        path = ["", "/"].contains(url.path) ? "/rooms" : url.path
    }

    /// Host and port, as a request names them.
    public var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
#endif

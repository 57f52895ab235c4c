#if Server
/// The pages, which are part of the program: an installed binary needs no other file.
///
/// To add one: its file in this folder, a line `.embedInCode` in Package.swift, a case here.
enum StaticPages {
    /// A file of a page.
    struct File: Sendable {
        /// Its media type.
        var type: String
        /// Its bytes.
        var bytes: [UInt8]
    }

    /// The file at a path, without the query.
    static func file(at path: Substring) -> File? {
        switch path {
        case "/": page(PackageResources.index_html)
        case "/publish": page(PackageResources.publish_html)
        case "/watch": page(PackageResources.watch_html)
        case "/operator": page(PackageResources.operator_html)
        case "/room": page(PackageResources.room_html)
        case "/rill.svg": File(type: "image/svg+xml", bytes: PackageResources.rill_svg)
        case "/rill.css": style(PackageResources.rill_css)
        case "/rill.js": script(PackageResources.rill_js)
        case "/list.js": script(PackageResources.list_js)
        case "/publish.js": script(PackageResources.publish_js)
        case "/watch.js": script(PackageResources.watch_js)
        case "/operator.js": script(PackageResources.operator_js)
        case "/room.js": script(PackageResources.room_js)
        case "/room.css": style(PackageResources.room_css)
        case "/stage.js": script(PackageResources.stage_js)
        case "/lobby.js": script(PackageResources.lobby_js)
        case "/beauty.js": script(PackageResources.beauty_js)
        case "/texts.js": script(PackageResources.texts_js)
        case "/chat.js": script(PackageResources.chat_js)
        case "/chat.css": style(PackageResources.chat_css)
        case "/rill-room.js": script(PackageResources.rill_room_js)
        case "/rill-sframe.js": script(PackageResources.rill_sframe_js)
        case "/rill-chat.js": script(PackageResources.rill_chat_js)
        default: nil
        }
    }

    private static func page(_ bytes: [UInt8]) -> File { File(type: "text/html; charset=utf-8", bytes: bytes) }
    private static func style(_ bytes: [UInt8]) -> File { File(type: "text/css; charset=utf-8", bytes: bytes) }
    private static func script(_ bytes: [UInt8]) -> File { File(type: "text/javascript; charset=utf-8", bytes: bytes) }

    /// What a page may load, and who may show it in a frame: only this server.
    static let securityPolicy =
        "default-src 'self'; img-src 'self' blob:; frame-ancestors 'self'; base-uri 'none'"
}
#endif

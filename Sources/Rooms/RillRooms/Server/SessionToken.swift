/// Makes session tokens that only the server can make, such as text with an HMAC (RFC 2104), and that survive its
/// restart.
public protocol SessionSealer {
    /// Makes a token of bytes. It may show them, but nobody else can make it.
    func seal(_ bytes: [UInt8]) -> String
    /// The bytes of a token; `nil` if this server did not make it. The text can be anything.
    func open(_ token: String) -> [UInt8]?
}

/// What a session token says: who its bearer is, in which room.
struct SessionClaims: Equatable {
    var room: String
    /// The epoch in which it was given.
    var epoch: Int
    /// The session's number.
    var session: Int
    var uid: UID
    var identity: String?
    /// The first session of a guest that joined again; `nil` if this one is.
    var guest: Int?
    var name: String
    var avatar: String?
    var role: Role
    var rights: Rights
    /// The highest role that it may take by itself.
    var grantedRole: Role
    var attributes: [String: String]
    /// In seconds since 1970.
    var expires: Int?

    var person: Person { identity.map(Person.identity) ?? .guest(guest ?? session) }
}

/// As bytes: numbers of 8 bytes, texts and lists behind their length.
extension SessionClaims {
    /// Version 1 had no `guest`.
    private static let version = 2
    private static let roles = Role.allCases

    var bytes: [UInt8] {
        var writer = ClaimWriter()
        writer.add(Self.version)
        writer.add(room)
        for number in [epoch, session, Int(uid.rawValue)] { writer.add(number) }
        writer.add(identity)
        writer.add(name)
        writer.add(avatar)
        writer.add(role.rawValue)
        writer.add(grantedRole.rawValue)
        writer.add(Int(rights.rawValue))
        writer.add(expires ?? -1)
        writer.add(guest ?? -1)
        writer.add(attributes.count)
        for (key, value) in attributes.sorted(by: { $0.key < $1.key }) {
            writer.add(key)
            writer.add(value)
        }
        return writer.bytes
    }

    /// The claims of bytes that this server sealed; `nil` if another version of it did.
    init?(_ bytes: [UInt8]) {
        var reader = ClaimReader(bytes: bytes)
        guard let version = reader.number(), (1...Self.version).contains(version), let room = reader.text(),
            let epoch = reader.number(), let session = reader.number(),
            let uid = reader.number().flatMap({ UInt32(exactly: $0) }),
            let identity = reader.optionalText(), let name = reader.text(), let avatar = reader.optionalText(),
            let role = reader.text().flatMap(Role.init), let grantedRole = reader.text().flatMap(Role.init),
            let rights = reader.number().flatMap({ UInt8(exactly: $0) }), let expires = reader.number(),
            let guest = version > 1 ? reader.number() : -1, let count = reader.number(), (0...65_535).contains(count)
        else { return nil }
        var attributes: [String: String] = [:]
        for _ in 0..<count {
            guard let key = reader.text(), let value = reader.text() else { return nil }
            attributes[key] = value
        }
        guard reader.isAtEnd else { return nil }
        self.init(
            room: room, epoch: epoch, session: session, uid: UID(rawValue: uid), identity: identity,
            guest: guest < 0 ? nil : guest, name: name, avatar: avatar, role: role, rights: Rights(rawValue: rights),
            grantedRole: grantedRole, attributes: attributes, expires: expires < 0 ? nil : expires)
    }
}

private struct ClaimWriter {
    var bytes: [UInt8] = []

    mutating func add(_ number: Int) {
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    mutating func add(_ text: String?) {
        add(text?.utf8.count ?? -1)
        bytes += text?.utf8.map { $0 } ?? []
    }
}

private struct ClaimReader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func number() -> Int? {
        guard bytes.count - position >= 8 else { return nil }
        let value = bytes[position..<position + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        position += 8
        return Int(truncatingIfNeeded: value)
    }

    mutating func text() -> String? { optionalText() ?? nil }

    /// A text that may be missing; `nil` if there is neither.
    mutating func optionalText() -> String?? {
        guard let count = number(), count <= bytes.count - position else { return nil }
        guard count >= 0 else { return .some(nil) }
        let text = String(decoding: bytes[position..<position + count], as: UTF8.self)
        position += count
        return text
    }
}

/// Somebody in a room, as all its members see them.
public struct Participant: Equatable, Sendable, Codable {
    /// Whether something was received from a participant lately, on its channel or on its media path.
    public enum Presence: String, Codable, CaseIterable, Sendable {
        /// Yes.
        case connected
        /// Nothing for 4 s.
        case interrupted
        /// Nothing for 10 s.
        case lost
    }

    /// The number.
    public let uid: UID
    /// Who it is, from its token; `nil` for a guest. A room has at most one participant of an identity.
    public let identity: String?
    /// The number of its session: another one, and a larger one, after it left and joined again.
    public let session: Int
    /// Of a guest who joined again with a session of before: the number of the first one, by which its author is known.
    public let guest: Int?
    /// The name that is shown.
    public internal(set) var name: String
    /// The URL of its picture.
    public internal(set) var avatar: String?
    /// The role.
    public internal(set) var role: Role
    /// What it may do.
    public internal(set) var rights: Rights
    /// What the app says about it.
    public internal(set) var attributes: [String: String]
    /// Whether it is there.
    public package(set) var presence = Presence.connected
    /// What it publishes, in the order in which it began.
    public internal(set) var published: [PublishedMedia] = []

    /// A participant that publishes nothing yet.
    public init(
        uid: UID, identity: String? = nil, session: Int = 0, guest: Int? = nil, name: String, avatar: String? = nil,
        role: Role = .speaker, rights: Rights? = nil, attributes: [String: String] = [:]
    ) {
        (self.session, self.guest) = (session, guest)
        (self.uid, self.identity, self.name, self.avatar, self.role) = (uid, identity, name, avatar, role)
        (self.rights, self.attributes) = (rights ?? role.rights, attributes)
    }

    /// What it publishes of a kind; `nil` for nothing.
    public subscript(kind: MediaKind) -> PublishedMedia? { published.first { $0.kind == kind } }
}

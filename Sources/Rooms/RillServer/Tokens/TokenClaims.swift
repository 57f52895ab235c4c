#if Server
import FoundationEssentials
import JWTKit
import RillWHIP

/// The claims of a token: the names of streams that its bearer may publish and watch, whether it may read the metrics,
/// whose it is, and until when.
///
/// ```json
/// {"publish": ["stage"], "watch": "*", "sub": "anna", "exp": 1767225600}
/// ```
struct TokenClaims: JWTPayload, Equatable {
    var publish: ClaimedNames
    var watch: ClaimedNames
    var exp: ExpirationClaim
    var metrics: Bool?
    var sub: String?

    func verify(using algorithm: some JWTAlgorithm) async throws { try exp.verifyNotExpired() }

    init(publish: StreamNames, watch: StreamNames, metrics: Bool, subject: String?, expiration: Date) {
        (self.publish, self.watch) = (ClaimedNames(names: publish), ClaimedNames(names: watch))
        (self.metrics, sub) = (metrics ? true : nil, subject)
        exp = ExpirationClaim(value: expiration)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let none = ClaimedNames(names: .only([]))
        publish = try container.decodeIfPresent(ClaimedNames.self, forKey: .publish) ?? none
        watch = try container.decodeIfPresent(ClaimedNames.self, forKey: .watch) ?? none
        exp = try container.decode(ExpirationClaim.self, forKey: .exp)
        metrics = try container.decodeIfPresent(Bool.self, forKey: .metrics)
        sub = try container.decodeIfPresent(String.self, forKey: .sub)
    }
}

/// Names in a claim: an array of them, or `"*"` for all.
struct ClaimedNames: Codable, Equatable {
    var names: StreamNames

    init(names: StreamNames) { self.names = names }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let word = try? container.decode(String.self) {
            names = word == "*" ? .all : .only([word])
        } else {
            names = .only(Set(try container.decode([String].self)))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch names {
        case .all: try container.encode("*")
        case .only(let names): try container.encode(names.sorted())
        }
    }
}
#endif

#if Server
import Foundation
import JWTKit
import RillRooms
import RillServer
import RillTestSupport
import RillWHIP
import Testing

@Suite struct SignedTokensTests {
    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    /// A token with any claims, signed with the secret.
    private struct AnyClaims: JWTPayload {
        var publish: [String]?
        var watch: String?
        var room: [String]?
        var role: String?
        var rights: [String]?
        var nbf: Double?
        var exp: Double?

        func verify(using algorithm: some JWTAlgorithm) async throws {}

        func signed(with secret: [UInt8] = SignedTokensTests.secret, by hash: DigestAlgorithm = .sha256) async throws
            -> String
        {
            try await JWTKeyCollection().add(hmac: HMACKey(from: secret), digestAlgorithm: hash).sign(self)
        }
    }

    private let later = Date().timeIntervalSince1970 + 60

    @Test func `A token allows what it was made for`() async throws {
        let tokens = try await SignedTokens(secret: Self.secret)
        for (publish, watch) in [
            (StreamNames.only(["a", "b"]), StreamNames.all), (.all, .only([])), (.only([]), .only(["c"])),
        ] {
            let token = try await tokens.token(publish: publish, watch: watch, lifetime: .seconds(60))
            #expect(await tokens.check(token).access == .limited(publish: publish, watch: watch))
        }
    }

    @Test func `Claims may be missing, but not the expiration`() async throws {
        let tokens = try await SignedTokens(secret: Self.secret)
        let one = try await AnyClaims(watch: "stage", exp: later).signed()
        #expect(await tokens.check(one).access == .limited(publish: .only([]), watch: .only(["stage"])))
        let eternal = try await AnyClaims(publish: ["a"]).signed()
        #expect(await tokens.check(eternal).access == .invalid)
    }

    @Test func `Tokens that are late, forged or cut are not valid`() async throws {
        let tokens = try await SignedTokens(secret: Self.secret)
        let good = try await AnyClaims(publish: ["a"], exp: later).signed()
        #expect(await tokens.check(good).access == .limited(publish: .only(["a"]), watch: .only([])))
        let parts = good.split(separator: ".")
        // {"alg":"none","typ":"JWT"}
        let unsigned = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0"
        var bad = [
            try await AnyClaims(publish: ["a"], exp: later - 120).signed(),
            try await AnyClaims(publish: ["a"], exp: later).signed(
                with: Array("another secret of 32 bytes and more".utf8)),
            "\(unsigned).\(parts[1]).", "\(unsigned).\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1])", "", "..",
            "a.b.c",
            good + "x", String(repeating: "a", count: 100_000),
        ]
        for index in [0, 30, 60] { bad.append(String(good.dropLast(index + 1)) + "!") }
        for token in bad { #expect(await tokens.check(token).access == .invalid, "\(token.prefix(200))") }
    }

    @Test func `Tokens of rooms that are early, late, forged, or for others let nobody in`() async throws {
        let tokens = try await SignedTokens(secret: Self.secret)
        let good = AnyClaims(room: ["lobby"], role: "viewer", rights: ["chat"], nbf: later - 120, exp: later)
        let grant = try #require(await tokens.grant(of: try await good.signed(), in: "lobby"))
        #expect(grant.role == .viewer && grant.rights == .chat && grant.expires == Int(later))
        #expect(await tokens.grant(of: try await good.signed(), in: "other") == nil)
        var bad = [try await good.signed(with: Array("another secret of 32 bytes and more".utf8))]
        for change in [
            { (claims: inout AnyClaims) in claims.nbf = later }, { $0.exp = later - 120 }, { $0.exp = nil },
            { $0.room = nil }, { $0.role = "king" }, { $0.rights = ["all"] },
        ] as [(inout AnyClaims) -> Void] {
            var claims = good
            change(&claims)
            bad.append(try await claims.signed())
        }
        for token in bad { #expect(await tokens.grant(of: token, in: "lobby") == nil, "\(token)") }
        // A token for streams is not one for rooms, and the other way round.
        let stream = try await AnyClaims(publish: ["a"], watch: "a", exp: later).signed()
        #expect(await tokens.grant(of: stream, in: "lobby") == nil)
        #expect(await tokens.check(try await good.signed()).access == .limited(publish: .only([]), watch: .only([])))
        // Nor is one for streams valid before its time.
        let early = try await AnyClaims(publish: ["a"], nbf: later, exp: later + 60).signed()
        #expect(await tokens.check(early).access == .invalid)
    }

    @Test func `A secret has 32 bytes or more`() async throws {
        await #expect(throws: ServerError.shortSecret(byteCount: 31, least: 32)) {
            try await SignedTokens(secret: Array(Self.secret.dropLast()))
        }
        await #expect(throws: ServerError.unreadable(path: "/none")) { try await SignedTokens(secretFile: "/none") }
        let folder = TemporaryFolder()
        let text = String(decoding: Self.secret, as: UTF8.self)
        let tokens = try await SignedTokens(secretFile: try folder.write(" \(text)\r\n\n", as: "secret"))
        let token = try await SignedTokens(secret: Self.secret).token(publish: .all, watch: .all, lifetime: .seconds(9))
        #expect(await tokens.check(token).access == .limited(publish: .all, watch: .all))
    }

    @Test func `The command prints a token that the server takes`() throws {
        let folder = TemporaryFolder()
        let secret = try folder.write(String(decoding: Self.secret, as: UTF8.self), as: "secret")
        let made = try rill([
            "token", "--secret-file", secret, "--publish", "a", "--publish", "b", "--watch", "*", "--expires", "90s",
        ])
        #expect(made.status == 0, "\(made.text)")
        let field = "Authorization: Bearer " + made.text.trimmingCharacters(in: .whitespacesAndNewlines)
        let server = try ServerProcess(["--secret-file", secret, "--host", "127.0.0.1"])
        #expect(!server.greeting.contains("this machine only"))

        #expect(try server.post("/whip/a", [field]).status == 201)
        #expect(try server.post("/whep/a", [field]).status == 201)
        #expect(try server.post("/whip/c", [field]).status == 403)
        let missing = try server.post("/whip/a")
        #expect(missing.status == 401 && missing.headers["WWW-Authenticate"] == "Bearer realm=\"rill\"")
        let wrong = try server.post("/whip/a", ["Authorization: Bearer nonsense"])
        #expect(wrong.status == 401 && wrong.headers["WWW-Authenticate"]?.contains("invalid_token") == true)
        #expect(try server.post("/whip/a", ["Authorization: Basic YTpi"]).status == 401)
        #expect(try server.send("GET", "/streams").status == 401)
        #expect(try server.send("GET", "/streams", [field]).body.contains("\"a\""))
        #expect(try server.send("GET", "/healthz").status == 200)
    }

    @Test(arguments: [
        ["--publish", "a/b"], [], ["--publish", "a", "--expires", "0s"], ["--publish", "a", "--expires", "1y"],
        ["--publish", "a", "--expires", "99999999999999999999d"], ["--watch", "a", "--expires", "11y"],
    ])
    func `Tokens that make no sense are not printed`(options: [String]) throws {
        let folder = TemporaryFolder()
        let secret = try folder.write(String(decoding: Self.secret, as: UTF8.self), as: "secret")
        let outcome = try rill(["token", "--secret-file", secret] + options)
        #expect(outcome.status != 0 && outcome.text.hasPrefix("Error: "), "\(outcome.text)")
    }
}
#endif

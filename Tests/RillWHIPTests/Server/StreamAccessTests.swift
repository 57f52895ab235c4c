import RillWHIP
import Testing

@Suite struct StreamAccessTests {
    @Test func `Without a token nothing can be published, watched or listed`() {
        for access in [StreamAccess.missing, .invalid] {
            var client = EndpointClient()
            _ = client.post("/whip/a")
            client.access = access
            for response in [client.post("/whip/a"), client.post("/whep/a"), client.send("GET", "/streams")] {
                #expect(response.isProblem(401))
                let expected = "Bearer realm=\"rill\"" + (access == .invalid ? ", error=\"invalid_token\"" : "")
                #expect(response.headers["WWW-Authenticate"] == expected)
            }
        }
    }

    @Test func `A token allows what it names, and no more`() {
        var client = EndpointClient()
        _ = client.post("/whip/a")
        _ = client.post("/whip/b")
        client.access = .limited(publish: .only(["a", "c"]), watch: .only(["a"]))
        #expect(client.post("/whip/c").status == 201 && client.post("/whep/a").status == 201)
        for response in [client.post("/whip/b"), client.post("/whep/b"), client.post("/whep/none")] {
            #expect(response.isProblem(403))
            #expect(response.headers["WWW-Authenticate"] == "Bearer realm=\"rill\", error=\"insufficient_scope\"")
        }
        let list = client.send("GET", "/streams").body
        #expect(list.contains("\"name\":\"a\"") && !list.contains("\"name\":\"b\""))
        client.access = .limited(publish: .all, watch: .only([]))
        #expect(client.post("/whip/anything").status == 201 && client.post("/whep/a").status == 403)
        #expect(client.send("GET", "/streams").body == "[]")
    }

    @Test func `A session's identifier is its key: no token is needed to change or end it`() throws {
        var client = EndpointClient()
        let session = try client.begin("/whip/a")
        client.access = .missing
        #expect(client.patch(session.path, match: session.tag, EndpointClient.candidates).status == 204)
        #expect(client.send("DELETE", session.path).status == 200)
    }

    @Test(arguments: [
        ("Bearer abc", "abc"), ("bearer   abc", "abc"), ("BEARER a.b-c", "a.b-c"), ("Bearer ", nil), ("Bearer", nil),
        ("Basic abc", nil), ("", nil),
    ])
    func `The token is what follows the scheme`(field: String, token: String?) {
        #expect(WHIPHeaders([.init("authorization", field)]).bearerToken == token)
        #expect(WHIPHeaders().bearerToken == nil)
    }
}

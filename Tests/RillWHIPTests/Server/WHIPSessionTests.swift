import RillWHIP
import Testing

@Suite struct WHIPSessionTests {
    let client = EndpointClient()

    @Test func `Candidates that are trickled reach the host`() throws {
        let session = try client.begin("/whip/a")
        let response = client.patch(session.path, match: session.tag, EndpointClient.candidates)
        #expect(response.status == 204 && response.body.isEmpty)
        let fragments = try #require(client.host.sessions["s1"]?.fragments)
        #expect(fragments == [try SDPFragment(parsing: EndpointClient.candidates)])
    }

    @Test func `PATCH needs the present entity tag`() throws {
        let session = try client.begin("/whip/a")
        let patch = { client.patch(session.path, match: $0, EndpointClient.candidates) }
        #expect(patch(nil).isProblem(428))
        for tag in ["\"s1.2\"", "W/" + session.tag, "\"\"", "\"*\""] { #expect(patch(tag).isProblem(412), "\(tag)") }
        for tag in ["s1.1", "\"s1.1", "\"a\"\"b\"", "*, *"] { #expect(patch(tag).isProblem(400), "\(tag)") }
        for tag in ["\"x\", " + session.tag, "W/\"x\" ,\t" + session.tag + ",", "*"] {
            #expect(patch(tag).status == 204, "\(tag)")
        }
    }

    @Test func `If-Match with an asterisk and other credentials restarts ICE, and changes the tag`() throws {
        let session = try client.begin("/whip/a")
        let response = client.patch(session.path, match: "*", EndpointClient.restart)
        #expect(response.status == 200 && response.headers["ETag"] == "\"s1.2\"")
        #expect(response.headers["Content-Type"] == "application/trickle-ice-sdpfrag")
        let ours = try SDPFragment(parsing: response.body)
        #expect(ours.usernameFragment == "ours" && ours.sections.first?.candidates.count == 1)
        #expect(client.host.sessions["s1"]?.restartCount == 1)

        #expect(client.patch(session.path, match: session.tag, EndpointClient.candidates).isProblem(412))
        #expect(client.patch(session.path, match: "\"s1.2\"", EndpointClient.candidates).status == 204)
    }

    @Test func `If-Match with an asterisk and the present credentials trickles candidates`() throws {
        let session = try client.begin("/whip/a")
        #expect(client.patch(session.path, match: "*", EndpointClient.candidates).status == 204)
        #expect(client.patch(session.path, match: "*", EndpointClient.restart).status == 200)
        #expect(client.patch(session.path, match: "*", EndpointClient.restart).status == 204)
        #expect(client.patch(session.path, match: "*", "a=ice-ufrag:third\r\n").isProblem(400))
        #expect(client.host.sessions["s1"]?.restartCount == 1)
    }

    @Test func `A fragment of another type, or that cannot be read, is refused`() throws {
        let session = try client.begin("/whip/a")
        let other = client.send(
            "PATCH", session.path, type: "application/sdp", match: session.tag, EndpointClient.offer)
        #expect(other.isProblem(415) && other.headers["Accept-Patch"] == "application/trickle-ice-sdpfrag")
        #expect(client.patch(session.path, match: session.tag, "").isProblem(400))
        #expect(client.patch(session.path, match: session.tag, "v=0\r\n").isProblem(400))
    }

    @Test func `A session is deleted only with the present entity tag, if the request has one`() throws {
        let session = try client.begin("/whip/a")
        let delete = { client.send("DELETE", session.path, match: $0) }
        #expect(!delete("\"s1.7\"").body.contains("restarted,"))
        #expect(delete("\"x\"").isProblem(412) && delete("W/" + session.tag).isProblem(412))
        #expect(delete("x").isProblem(400))
        #expect(client.patch(session.path, match: "*", EndpointClient.restart).status == 200)
        #expect(delete(session.tag).isProblem(412))
        for (tag, reason) in [
            (session.tag, "ICE has been restarted"), ("\"s1.1\", \"x\"", "ICE has been restarted"),
            ("\"x\"", "is the ETag of the response"), ("W/\"s1.2\"", "weak ones never match"),
        ] {
            #expect(delete(tag).body.contains(reason), "\(tag)")
        }
        #expect(delete("\"s1.2\"").status == 200 && delete("*").isProblem(404))
    }

    @Test func `A session is deleted once`() throws {
        let session = try client.begin("/whip/a")
        #expect(client.send("DELETE", session.path).status == 200)
        #expect(client.host.sessions.isEmpty && client.endpoint.sessionCount == 0)
        #expect(client.send("DELETE", session.path).isProblem(404))
        #expect(client.patch(session.path, match: "*", EndpointClient.restart).isProblem(404))
        #expect(client.send("DELETE", "/session/never").isProblem(404))
    }

    @Test func `A viewer chooses a layer, or leaves the choice to the host`() throws {
        _ = try client.begin("/whip/a")
        let path = try client.begin("/whep/a").path + "/layer"
        let choose = { client.send("POST", path, type: "application/json", $0) }
        #expect(choose(#"{"mediaId":"0","encodingId":"low"}"#).status == 200)
        #expect(client.host.sessions["s2"]?.layer == "low")
        #expect(choose(#"{"encodingId":null}"#).status == 200)
        #expect(client.host.sessions["s2"]?.layer == nil)
        #expect(choose(#"{"encodingId":"h\u0069gh"}"#).status == 200)
        #expect(client.host.sessions["s2"]?.layer == "high")
        #expect(choose("{}").status == 200)
        #expect(client.host.sessions["s2"]?.layer == nil)
        #expect(choose(#"{"encodingId":"ultra"}"#).isProblem(422))
        for body in ["", "high", "[]", #"{"encodingId":5}"#, #"{"encodingId":{}}"#] {
            #expect(choose(body).isProblem(400), "\(body)")
        }
        #expect(client.send("POST", path, type: "text/plain", "{}").isProblem(415))
        #expect(client.send("POST", "/session/s1/layer", type: "application/json", "{}").isProblem(404))
        #expect(client.send("POST", "/session/never/layer", type: "application/json", "{}").isProblem(404))
    }

    @Test func `The list has streams with layers and viewers`() throws {
        #expect(client.send("GET", "/streams").body == "[]")
        _ = try client.begin("/whip/stage")
        _ = try client.begin("/whep/stage")
        let response = client.send("GET", "/streams?x=1")
        #expect(response.status == 200 && response.headers["Content-Type"] == "application/json")
        #expect(
            response.body == #"[{"name":"stage","codec":"test","viewerCount":1,"seconds":1.5,"layers":["#
                + #"{"name":"high","width":1280,"height":720,"framesPerSecond":30.0,"bitsPerSecond":2000000},"#
                + #"{"name":"low","width":160,"height":120,"framesPerSecond":5.0,"bitsPerSecond":60000}]}]"#)
        let head = client.send("HEAD", "/streams")
        #expect(head.status == 200 && head.body.isEmpty)
    }

    @Test func `Sessions that the host has ended are forgotten`() throws {
        for _ in 0..<1000 { _ = try client.begin("/whip/a") }
        #expect(client.host.sessions.count == 1 && client.endpoint.sessionCount < 128)
    }

    @Test func `All sessions can be ended`() throws {
        for name in ["a", "b", "c"] { _ = try client.begin("/whip/" + name) }
        client.endpoint.endSessions()
        #expect(client.host.sessions.isEmpty && client.endpoint.sessionCount == 0)
    }
}

import RillWHIP
import Testing

@Suite struct AllowedOriginsTests {
    private func send(_ origin: String?, _ origins: AllowedOrigins, _ method: String = "POST") -> WHIPResponse {
        let client = EndpointClient(settings: WHIPEndpointSettings(origins: origins))
        var request = WHIPRequest(method, "/whip/a", body: EndpointClient.offer)
        request.headers["Content-Type"] = "application/sdp"
        request.headers["Origin"] = origin
        return client.endpoint.respond(to: request, access: .unrestricted)
    }

    @Test func `With tokens pages of any site are allowed`() {
        for origin in [nil, "https://example.net", "null"] {
            let response = send(origin, .any)
            #expect(response.status == 201 && response.headers["Access-Control-Allow-Origin"] == "*")
        }
    }

    @Test(arguments: [
        "http://localhost", "http://localhost:8080", "https://127.0.0.1:8443", "http://127.9.8.7", "http://[::1]:8080",
        "http://[::1]", "http://rill.localhost:3000",
    ])
    func `Without tokens pages of this machine are allowed`(origin: String) {
        for method in ["POST", "OPTIONS"] {
            let response = send(origin, .loopback, method)
            #expect(response.status < 300 && response.headers["Access-Control-Allow-Origin"] == origin)
            #expect(response.headers["Vary"] == "Origin")
        }
    }

    @Test(arguments: [
        "https://example.net", "null", "", "http://localhost.example.net", "http://127.0.0.1.example.net",
        "http://127.1",
        "http://127.0.0.1@example.net", "http://[::1].example.net", "http://[::11]", "http://localhost/x", "localhost",
        "file://localhost", "http://evillocalhost", "http://127.0.0.256",
    ])
    func `Without tokens pages of other sites are refused`(origin: String) {
        for method in ["POST", "OPTIONS"] {
            let response = send(origin, .loopback, method)
            #expect(response.isProblem(403) && response.headers["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test func `Without tokens programs that are not browsers are allowed`() {
        let response = send(nil, .loopback)
        #expect(response.status == 201 && response.headers["Access-Control-Allow-Origin"] == nil)
    }
}

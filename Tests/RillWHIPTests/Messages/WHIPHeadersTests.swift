import RillWHIP
import Testing

@Suite("Header fields of WHIP")
struct WHIPHeadersTests {
    @Test("Names are compared without regard to case, and keep their order")
    func names() {
        var headers = WHIPHeaders([.init("Link", "<a>"), .init("ETag", "\"1\""), .init("LINK", "<b>")])
        #expect(headers["etag"] == "\"1\"")
        #expect(headers.values(of: "link") == ["<a>", "<b>"])
        headers["Etag"] = "\"2\""
        #expect(headers.values(of: "ETag") == ["\"2\""])
        headers["link"] = nil
        #expect(headers.fields == [.init("Etag", "\"2\"")])
    }
}

import RillTestSupport
import Testing

@Suite struct CodingPageTests {
    private let folder = TemporaryFolder()

    @Test func `A comparison is a page of its own, the same each time`() throws {
        let clip = try movingClip(in: folder, frames: 50)
        let pages = try ["a.html", "b.html"].map { name in
            let outcome = try rill("transcode", clip, folder.path(name), "--compare", "--still-blocks", "on")
            #expect(outcome.status == 0, "\(outcome.errors)")
            return String(decoding: try read(folder.path(name)), as: UTF8.self)
        }
        #expect(pages[0] == pages[1])
        let page = try report(onPage: folder.path("a.html"))
        let record = try #require(page["report"] as? [String: Any])
        // Every eighth of fifty.
        let shown = try #require(record["shown"] as? [[String: Any]])
        #expect(shown.compactMap { $0["index"] as? Int } == [0, 8, 16, 24, 32, 40, 48])
        let files = shown.compactMap { ($0["picture"] as? [String: Any])?["webP"] as? String }
        #expect(files.count == 7 && files.allSatisfy { $0.hasPrefix("UklGR") })
        let pictures = try #require(record["pictures"] as? [[String: Any]])
        #expect(pictures.count == 50 && pictures.count { $0["key"] as? Bool == true } == 1)
        #expect((page["facts"] as? [[String]])?.contains(["still blocks", "not coded again"]) == true)
    }

    @Test func `Pictures of a comparison are twice as wide and high`() throws {
        let clip = try movingClip(in: folder, frames: 5)
        let output = folder.path("looks.y4m")
        let outcome = try rill("transcode", clip, output, "--compare", "--size", "64x48", "--bitrate", "100k")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let bytes = try read(output)
        #expect(String(decoding: bytes.prefix(40), as: UTF8.self).contains("W128 H96"))
    }

    @Test func `A clip that is cut short gives the page of what is there`() throws {
        let clip = try movingClip(in: folder, frames: 20)
        let whole = try read(clip)
        try write(Array(whole.prefix(whole.count / 2)), to: clip)
        let outcome = try rill("transcode", clip, folder.path("half.html"), "--compare")
        #expect(outcome.status == 3, "\(outcome.errors)")
        let record = try report(onPage: folder.path("half.html"))["report"] as? [String: Any]
        #expect((record?["pictures"] as? [Any])?.count == 9)
    }

    @Test(arguments: [
        (["out.webm", "--compare"], "out.webm"), (["out.png", "--compare"], "out.png"), (["out.html"], "out.html"),
        (["out.html", "--compare", "--beauty", "natural"], "out.html"),
        (["out.html", "--compare", "--good"], "--good"), (["out.html", "--compare", "--fps", "15"], "--fps"),
        (["out.html", "--compare", "--low", "low.ivf"], "--low"),
        (["out.html", "--compare", "--segments", "2"], "--segments"),
    ])
    func `What cannot be compared is refused by name`(arguments: [String], word: String) throws {
        let outcome = try rillProgram().run(["transcode", "clip.y4m"] + arguments)
        #expect(outcome.status == 64 && outcome.errors.contains(word), "\(arguments): \(outcome.errors)")
    }
}

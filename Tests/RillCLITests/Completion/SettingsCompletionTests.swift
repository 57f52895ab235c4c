import ArgumentParser
import Rill
import RillCore
import RillLink
import Testing

@testable import RillCLI

@Suite struct SettingsCompletionTests {
    private func texts(_ grammar: SettingsCompletion, _ typed: String) -> [String] {
        grammar.candidates(after: typed).map(\.text)
    }

    @Test func `Names come after the last comma, each once`() {
        #expect(texts(.network, "").contains("loss="))
        #expect(texts(.network, "l") == ["loss="])
        #expect(texts(.network, "loss=2%,de") == ["loss=2%,delay="])
        let names = texts(.network, "loss=2%,delay=40ms,")
        #expect(names.count == LinkSettings.Name.allCases.count - 2)
        #expect(names.allSatisfy { $0.hasPrefix("loss=2%,delay=40ms,") && $0.hasSuffix("=") })
        #expect(!names.contains("loss=2%,delay=40ms,loss="))
    }

    @Test func `Values come after a name`() {
        #expect(texts(.network, "seed=7,order=").sorted() == ["seed=7,order=by-delay", "seed=7,order=kept"])
        #expect(texts(.network, "order=k") == ["order=kept"])
        #expect(texts(.network, "loss=5") == [])
        #expect(texts(.network, "what=") == [])
        #expect(texts(.beauty, "contrast=h") == ["contrast=high"])
    }

    @Test func `Presets are offered only first`() {
        #expect(texts(.beauty, "n") == ["natural"])
        #expect(texts(.beauty, "natural,n") == [])
        #expect(texts(.beauty, "natural,r") == ["natural,redness="])
    }

    @Test(arguments: LinkSettings.Name.allCases)
    func `What is offered for a network is read`(name: LinkSettings.Name) throws {
        // What shares a bottleneck needs one.
        let first = [.cross, .cubic].contains(name) ? "rate=2M," : ""
        for value in texts(.network, "\(first)\(name.rawValue)=") { _ = try LinkSettings(notation: value) }
        #expect(name == .trace || name == .seed || !texts(.network, "\(name.rawValue)=").isEmpty)
    }

    @Test func `What is offered for beauty is read`() throws {
        for first in texts(.beauty, "") {
            for text in first.hasSuffix("=") ? texts(.beauty, first) : [first] {
                _ = try BeautyOptions(notation: text)
            }
        }
    }

    @Test func `Shells that show a word on a candidate get one`() {
        let candidate = SettingsCompletion.Candidate(text: "loss=", about: "as in 2%")
        #expect(candidate.line(for: .zsh) == "loss=:as in 2%")
        #expect(candidate.line(for: .fish) == "loss=\tas in 2%")
        #expect(candidate.line(for: .bash) == "loss=")
    }

    @Test(arguments: ["", ",", ",,,", "=", "=,=", "loss=2%,,", "\u{301}=", "loss\u{301}=2%,"])
    func `Nothing that is typed breaks it`(typed: String) {
        for text in texts(.network, typed) + texts(.beauty, typed) { #expect(text.hasPrefix(typed)) }
    }
}

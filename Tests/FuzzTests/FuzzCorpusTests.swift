import Foundation
import RillCore
import RillFuzzBodies
import RillTestSupport
import Testing

/// The bodies that libFuzzer runs, over the inputs that are kept.
@Suite(.serialized) struct FuzzCorpusTests {
    /// Tests/Corpus, found from this file.
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpus")
    private static let isWriting = ProcessInfo.processInfo.environment["RILL_WRITE_CORPUS"] != nil

    private func folder(_ body: FuzzBody) -> String {
        FuzzCorpusTests.corpus.appending(path: body.name).path
    }

    @Test(arguments: FuzzBody.all.indices)
    func `The corpus holds the seeds, as they are made today`(index: Int) throws {
        let body = FuzzBody.all[index]
        let folder = folder(body)
        for seed in body.seeds() {
            if FuzzCorpusTests.isWriting {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try Data(seed.bytes).write(to: URL(filePath: "\(folder)/\(seed.name)"))
            }
            #expect(try read("\(folder)/\(seed.name)") == seed.bytes, "\(body.name)/\(seed.name)")
        }
    }

    @Test(arguments: FuzzBody.all.indices)
    func `No input of the corpus brings its body down`(index: Int) throws {
        let body = FuzzBody.all[index]
        let names = try FileManager.default.contentsOfDirectory(atPath: folder(body))
        #expect(names.count >= body.seeds().count, "\(body.name)")
        for name in names {
            let bytes = try read("\(folder(body))/\(name)")
            body.run(bytes.span)
        }
    }

    @Test(arguments: FuzzBody.all.indices)
    func `No damaged seed brings its body down`(index: Int) {
        let body = FuzzBody.all[index]
        // Under the address sanitizer libFuzzer looks far further (`Scripts/fuzz`).
        let total = isAddressSanitized ? 4000 : 20_000
        let inputs = MutatedInputs(of: body.seeds().map(\.bytes), count: total, using: SeededGenerator(seed: 40))
        var count = 0
        for input in inputs {
            body.run(input.span)
            count += 1
        }
        #expect(count == total)
    }
}

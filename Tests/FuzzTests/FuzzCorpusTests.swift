import Foundation
import RillCore
import RillFuzzTargets
import RillTestSupport
import Testing

/// The targets that libFuzzer runs, over the inputs that are kept.
@Suite(.serialized) struct FuzzCorpusTests {
    /// Tests/Corpus, found from this file.
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpus")
    private static let isWriting = ProcessInfo.processInfo.environment["RILL_WRITE_CORPUS"] != nil

    private func folder(_ target: FuzzTarget) -> String {
        FuzzCorpusTests.corpus.appending(path: target.name).path
    }

    @Test(arguments: FuzzTarget.all.indices)
    func `The corpus holds the seeds, as they are made today`(index: Int) throws {
        let target = FuzzTarget.all[index]
        let folder = folder(target)
        for seed in target.seeds() {
            if FuzzCorpusTests.isWriting {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try Data(seed.bytes).write(to: URL(filePath: "\(folder)/\(seed.name)"))
            }
            #expect(try read("\(folder)/\(seed.name)") == seed.bytes, "\(target.name)/\(seed.name)")
        }
    }

    @Test(arguments: FuzzTarget.all.indices)
    func `No input of the corpus brings its target down`(index: Int) throws {
        let target = FuzzTarget.all[index]
        let names = try FileManager.default.contentsOfDirectory(atPath: folder(target))
        #expect(names.count >= target.seeds().count, "\(target.name)")
        for name in names {
            let bytes = try read("\(folder(target))/\(name)")
            target.run(bytes.span)
        }
    }

    @Test(arguments: FuzzTarget.all.indices)
    func `No damaged seed brings its target down`(index: Int) {
        let target = FuzzTarget.all[index]
        // Under the address sanitizer libFuzzer looks far further (`Scripts/fuzz`).
        let total = isAddressSanitized ? 4000 : 20_000
        let inputs = MutatedInputs(of: target.seeds().map(\.bytes), count: total, using: SeededGenerator(seed: 40))
        var count = 0
        for input in inputs {
            target.run(input.span)
            count += 1
        }
        #expect(count == total)
    }
}

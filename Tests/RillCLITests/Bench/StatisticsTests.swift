import Testing

@testable import RillCLI

@Suite struct StatisticsTests {
    @Test func `The median and the quartiles lie between the values in proportion`() throws {
        let sample = try #require(Sample([4, 1, 3, 2]))
        #expect(sample.median == 2.5 && sample.lowQuartile == 1.75 && sample.highQuartile == 3.25)
        #expect(sample.least == 1 && sample.most == 4)
        let single = try #require(Sample([7]))
        #expect(single.median == 7 && single.lowQuartile == 7 && single.highQuartile == 7)
    }

    @Test func `What is no number is left out`() throws {
        #expect(Sample([.nan, .infinity]) == nil)
        #expect(try #require(Sample([.nan, 2, 4])).median == 3)
    }

    @Test func `Ratios are taken turn by turn, without turns in which one took nothing`() throws {
        // The machine was half as fast in the second turn: the ratio is the same.
        let ratios = try #require(Sample.ratios([3, 6, 0, nil, 9], over: [2, 4, 5, 1, -1]))
        #expect(ratios.sorted == [1.5, 1.5])
        #expect(Sample.ratios([0], over: [1]) == nil)
    }

    @Test(arguments: [
        ([1.04], 0.03, Verdict.ahead), ([1.02], 0.03, .level), ([1.0], 0.0, .level), ([0.98], 0.03, .level),
        ([0.96], 0.03, .behind), ([1.0001], 0.0, .ahead), ([0.5], 1.01, .level), ([0.49], 1.0, .behind),
        // The turns do not agree who is ahead.
        ([0.8, 1.3, 1.3, 1.3, 1.4], 0.1, .ahead), ([0.8, 0.9, 1.3, 1.4, 1.5], 0.1, .level),
        ([0.7, 0.8, 1.3], 0.1, .level),
    ])
    func `Ahead and behind is what differs by more than chance`(
        ratios: [Double], scatter: Double, verdict: Verdict
    ) throws {
        #expect(Verdict(try #require(Sample(ratios)), scatter: scatter) == verdict)
    }

    @Test func `Callgrind's sum is read from its file, whichever word it stands behind`() {
        #expect(Callgrind.sum(in: "version: 1\nevents: Ir\nfn=(1) main\n10 5\n\nsummary: 1234567\n\n") == 1_234_567)
        #expect(Callgrind.sum(in: "events: Ir\nsummary: 5\ntotals: 24800000123\n") == 24_800_000_123)
        #expect(Callgrind.sum(in: "events: Ir\n10 5\n") == nil)
        #expect(Callgrind.sum(in: "totals: many\n") == nil)
        #expect(Callgrind.sum(in: "totals:\n") == nil)
        #expect(Callgrind.sum(in: "") == nil)
    }

    @Test func `The last word that a program says of its pictures counts`() {
        #expect(PrintedFrames.count(in: "frame=12\nfps=3\nframe= 90\nprogress=end\n") == 90)
        #expect(PrintedFrames.count(in: "hello\nframes=7\n") == 7)
        #expect(PrintedFrames.count(in: "framesize=7\n") == nil)
        #expect(PrintedFrames.count(in: "") == nil)
    }

    @Test func `A command is written so that a shell takes it as it was`() {
        let command = Invocation(
            words: ["/bin/a b", "it's", "$HOME", "", "x=1,y:2", "\u{e9}"], environment: ["B": "2 3", "A": "1"])
        #expect(command.text == "A=1 B='2 3' '/bin/a b' 'it'\\''s' '$HOME' '' x=1,y:2 '\u{e9}'")
    }

    @Test func `Who worked on other pictures, or made other bytes, did other work`() {
        let ours = Work(frames: 100, codedBytes: 10_000)
        #expect(Work(frames: 100, codedBytes: 10_499).difference(from: ours) == nil)
        #expect(Work(frames: 100, codedBytes: 9501).difference(from: ours) == nil)
        #expect(Work(frames: 99, codedBytes: 10_000).difference(from: ours)?.contains("99 pictures") == true)
        #expect(Work(frames: 100, codedBytes: 10_600).difference(from: ours)?.contains("10600") == true)
        #expect(Work(frames: 100).difference(from: ours) == nil)
    }
}

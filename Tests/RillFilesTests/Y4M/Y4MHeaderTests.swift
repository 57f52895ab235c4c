import RillCore
import Testing

@testable import RillFiles

@Suite struct Y4MHeaderTests {
    private func parse(_ line: String) throws(FileError) -> Y4MHeader {
        try Y4MHeader(parsing: [UInt8](line.utf8), path: "clip.y4m")
    }

    @Test func `Parameters come in any order`() throws {
        let parameters = ["W17", "H13", "F30000:1001", "It", "A128:117", "C420mpeg2", "XCOLORRANGE=FULL"]
        let expected = Y4MHeader(
            resolution: Resolution(width: 17, height: 13), frameRate: FrameRate(30000, per: 1001),
            interlacing: .topFieldFirst, pixelAspect: PixelAspect(width: 128, height: 117),
            chromaSiting: .mpeg2, range: .full)
        for order in permutations(of: parameters) {
            let line = "YUV4MPEG2 " + order.joined(separator: " ")
            #expect(try parse(line) == expected, "\(line)")
        }
    }

    @Test func `Only the size is required`() throws {
        let header = try parse("YUV4MPEG2 H2 W4")
        #expect(
            header
                == Y4MHeader(
                    resolution: Resolution(width: 4, height: 2), frameRate: nil, interlacing: .unknown,
                    pixelAspect: nil, chromaSiting: .jpeg))
    }

    @Test(arguments: [
        ("C420", Y4MHeader.ChromaSiting.unspecified), ("C420jpeg", .jpeg), ("C420mpeg2", .mpeg2),
        ("C420paldv", .palDV), ("XYSCSS=420JPEG", .jpeg), ("XYSCSS=420MPEG2", .mpeg2), ("XYSCSS=420PALDV", .palDV),
        ("C420paldv XYSCSS=420MPEG2", .palDV), ("XYSCSS=411 C420mpeg2", .mpeg2),
    ])
    func `Every spelling of 420 is known`(parameter: String, siting: Y4MHeader.ChromaSiting) throws {
        #expect(try parse("YUV4MPEG2 W4 H2 \(parameter)").chromaSiting == siting)
    }

    @Test(arguments: [
        "422", "444", "411", "410", "mono", "mono9", "mono16", "444alpha", "420p9", "420p10", "420p12", "420p16",
        "422p10", "444p16", "420JPEG", "",
    ])
    func `Other formats are refused by name`(name: String) {
        let error = FileError.unsupportedFormat(path: "clip.y4m", format: "Y4M of color format \"\(name)\"")
        #expect(throws: error) { try parse("YUV4MPEG2 W4 H2 C\(name) F30:1") }
        #expect(error.description.contains("clip.y4m: Y4M of color format \"\(name)\" is not supported"))
    }

    @Test func `Other formats of old files are refused by name`() {
        #expect(throws: FileError.unsupportedFormat(path: "clip.y4m", format: "Y4M of color format \"422\"")) {
            try parse("YUV4MPEG2 W4 H2 XYSCSS=422")
        }
    }

    @Test func `Unknown parameters are kept or passed over`() throws {
        let header = try parse("YUV4MPEG2 W4 Xone  H2 Zwhat X XCOLORRANGE=WIDE F25:1 Xtwo=2 ")
        #expect(header.extensions == ["one", "", "COLORRANGE=WIDE", "two=2"])
        #expect(header.range == nil)
        #expect(header.frameRate == 25)
    }

    @Test func `The last of two counts`() throws {
        #expect(try parse("YUV4MPEG2 W4 H2 W8").resolution == Resolution(width: 8, height: 2))
    }

    @Test(arguments: [("F0:0", nil), ("F30:1", FrameRate(30)), ("F2147483647:1", FrameRate(2_147_483_647))])
    func `Rates are ratios or unknown`(parameter: String, rate: FrameRate?) throws {
        #expect(try parse("YUV4MPEG2 W4 H2 \(parameter)").frameRate == rate)
    }

    @Test(arguments: [
        ("F30", "frame rate"), ("F30:0", "frame rate"), ("F0:1", "frame rate"), ("F-30:1", "frame rate"),
        ("F30:1:1", "frame rate"), ("F2147483648:1", "frame rate"), ("Fx:y", "frame rate"), ("F", "frame rate"),
        ("F99999999999999999999:1", "frame rate"), ("Iq", "interlacing"), ("I", "interlacing"),
        ("A1", "pixel aspect"), ("A1:0", "pixel aspect"), ("A:", "pixel aspect"), ("W+4", "width"), ("W", "width"),
        ("W4x", "width"), ("W99999999999999999999", "width"), ("H-2", "height"), ("H 2", "height"), ("H٢", "height"),
    ])
    func `Invalid input is reported with its position`(parameter: String, field: String) throws {
        do {
            _ = try parse("YUV4MPEG2 W4 H2 \(parameter)")
            Issue.record("\(parameter) was taken")
        } catch {
            guard case .invalidField("clip.y4m", position: 16, field: field, _) = error else {
                Issue.record("\(parameter): \(error)")
                return
            }
        }
    }

    @Test(arguments: [("W4", "height (H)"), ("H4", "width (W)"), ("F30:1", "width (W)")])
    func `A missing size is reported`(line: String, parameter: String) {
        #expect(throws: FileError.missingParameter(path: "clip.y4m", parameter: parameter)) {
            try parse("YUV4MPEG2 \(line)")
        }
    }

    @Test(arguments: [(100_000, 100_000), (16384, 1), (1, 16384), (0, 2), (2, 0), (Int.max, Int.max)])
    func `Sizes out of range are reported`(width: Int, height: Int) {
        let error = FileError.resolutionOutOfRange(path: "clip.y4m", width: width, height: height)
        #expect(throws: error) { try parse("YUV4MPEG2 W\(width) H\(height) F30:1") }
        #expect(error.description.contains("\(width)x\(height)"))
    }

    @Test func `Written values are parsed back`() throws {
        for interlacing in Y4MHeader.Interlacing.allCases {
            for siting in Y4MHeader.ChromaSiting.allCases {
                for rate in [nil, FrameRate(30), FrameRate(30000, per: 1001)] {
                    for range in [nil, ColorSpace.Range.full, .limited] {
                        let header = Y4MHeader(
                            resolution: Resolution(width: 16383, height: 1), frameRate: rate,
                            interlacing: interlacing, pixelAspect: rate == nil ? nil : .square, chromaSiting: siting,
                            range: range, extensions: ["one", "two=2"])
                        #expect(header.line.hasSuffix("\n"))
                        #expect(try parse(String(header.line.dropLast())) == header, "\(header.line)")
                    }
                }
            }
        }
    }

    @Test func `The usual line is the usual one`() {
        let header = Y4MHeader(resolution: .vga, frameRate: 30)
        #expect(header.line == "YUV4MPEG2 W640 H480 F30:1 Ip A1:1 C420jpeg\n")
    }
}

private func permutations(of items: [String]) -> [[String]] {
    guard items.count > 1 else { return [items] }
    return items.indices.flatMap { index in
        var rest = items
        let first = rest.remove(at: index)
        return permutations(of: rest).map { [first] + $0 }
    }
}

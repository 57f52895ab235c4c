import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

@Suite struct IVFTests {
    let folder = TemporaryFolder()

    /// A file of payloads `1`, `2 2`, `3 3 3`, … at timestamps 0, 3000, 6000, …
    private func file(_ payloads: [[UInt8]], header: IVFHeader? = nil) -> [UInt8] {
        var bytes = (header ?? IVFHeader(codec: .vp8, resolution: .vga, frameCount: payloads.count)).bytes
        for (index, payload) in payloads.enumerated() {
            bytes.append(littleEndian: UInt32(payload.count))
            bytes.append(littleEndian: Int64(3000 * index))
            bytes += payload
        }
        return bytes
    }

    private func reader(_ bytes: [UInt8]) throws(FileError) -> IVFReader {
        try IVFReader(ByteInput(bytes: bytes, path: "clip.ivf"))
    }

    private func encodedFrame(_ number: Int64, codec: VideoCodec = .vp8, at time: MediaTime) -> EncodedFrame {
        EncodedFrame(
            codec: codec, layer: StreamLayer(rid: .high), number: number, references: FrameReferences(), isKey: true,
            resolution: .vga, captureTime: time, byteCount: 0)
    }

    /// All frames up to the end or the first error.
    private func frames(of reader: IVFReader) -> (frames: [IVFReader.Frame], payloads: [[UInt8]], error: FileError?) {
        var payload: [UInt8] = []
        var (frames, payloads): ([IVFReader.Frame], [[UInt8]]) = ([], [])
        do throws(FileError) {
            while let frame = try reader.next(into: &payload) {
                frames.append(frame)
                payloads.append(payload)
            }
            return (frames, payloads, nil)
        } catch {
            return (frames, payloads, error)
        }
    }

    // MARK: Good files

    @Test func `The header is that of vpxenc`() {
        let header = IVFHeader(
            codec: .vp9, resolution: Resolution(width: 320, height: 241), timeBase: .init(1, 30), frameCount: 258)
        #expect(
            header.bytes == [
                0x44, 0x4B, 0x49, 0x46, 0, 0, 32, 0, 0x56, 0x50, 0x39, 0x30, 0x40, 1, 0xF1, 0, 30, 0, 0, 0, 1, 0, 0, 0,
                2, 1, 0, 0, 0, 0, 0, 0,
            ])
    }

    @Test(arguments: [VideoCodec.vp8, .vp9], [IVFHeader.TimeBase.rtpVideo, .init(1, 30), .init(1001, 30000)])
    func `Written values are parsed back`(codec: VideoCodec, timeBase: IVFHeader.TimeBase) throws {
        // Empty, small, larger than the buffer, and small again.
        let payloads = [0, 1, 40_000, 100_000, 7].map { [UInt8](repeating: UInt8($0 % 251), count: $0) }
        let rate = FrameRate(Int(timeBase.denominator), per: Int(timeBase.numerator))
        let path = folder.path("clip.ivf")
        let writer = try IVFWriter(path: path, codec: codec, resolution: .vga, timeBase: timeBase)
        for (index, payload) in payloads.enumerated() {
            let time = rate.time(ofFrame: 7 * index)
            try writer.consume(encodedFrame(Int64(index), codec: codec, at: time), payload: payload.span)
        }
        try writer.finish()

        let bytes = try read(path)
        try makePipe(folder.path("pipe"), feeding: bytes)
        for reader in [try IVFReader(path: path), try IVFReader(path: folder.path("pipe")), try reader(bytes)] {
            #expect(
                reader.header == IVFHeader(codec: codec, resolution: .vga, timeBase: timeBase, frameCount: 5))
            let (frames, read, error) = frames(of: reader)
            #expect(error == nil)
            #expect(read == payloads)
            #expect(frames.map(\.timestamp) == [0, 7, 14, 21, 28])
            #expect(frames.map(\.time) == (0..<5).map { rate.time(ofFrame: 7 * $0) })
            #expect(frames.map(\.byteCount) == payloads.map(\.count))
            #expect(frames.map(\.position) == [44, 56, 69, 40_081, 140_093])
            #expect(reader.position == bytes.count)
        }
    }

    @Test func `The frame count is filled in where that is possible`() throws {
        let path = folder.path("clip.ivf")
        let writer = try IVFWriter(path: path, codec: .vp8, resolution: .vga)
        for index in 0..<3 { try writer.write([1, 2, 3].span, at: Int64(index)) }
        #expect(try IVFReader(path: path).header.frameCount == 0)
        #expect(writer.header.frameCount == 3)
        try writer.finish()
        #expect(try IVFReader(path: path).header.frameCount == 3)
    }

    @Test func `A pipe is written without a count`() throws {
        let pipe = folder.path("pipe")
        try makePipe(pipe)
        let received = Collected(pipe)
        let writer = try IVFWriter(path: pipe, codec: .vp8, resolution: .vga)
        try writer.write([1, 2, 3].span, at: 0)
        try writer.finish()
        let reader = try reader(received.get())
        #expect(reader.header.frameCount == 0)
        #expect(frames(of: reader).payloads == [[1, 2, 3]])
    }

    @Test func `The reader's memory is used again`() throws {
        let payloads = [5000, 10, 3000, 5000].map { [UInt8](repeating: 9, count: $0) }
        let reader = try reader(file(payloads))
        var payload: [UInt8] = []
        _ = try reader.next(into: &payload)
        let place = unsafe payload.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        for expected in payloads.dropFirst() {
            _ = try reader.next(into: &payload)
            #expect(payload == expected)
            let now = unsafe payload.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            #expect(now == place)
        }
    }

    @Test func `Times are exact in any unit`() {
        let base = IVFHeader.TimeBase(1001, 30000)
        for ticks in [Int64(-3), 0, 1, 2, 1_000_000_007] {
            let time = base.time(ofTicks: ticks)
            #expect(time.map(base.ticks(of:)) == ticks)
        }
        #expect(IVFHeader.TimeBase.rtpVideo.time(ofTicks: 1)?.nanoseconds == 11_111)
        #expect(IVFHeader.TimeBase(.max, 1).time(ofTicks: .max) == nil)
        #expect(IVFHeader.TimeBase(.max, 1).time(ofTicks: .min) == nil)
        #expect(IVFHeader.TimeBase(1, .max).ticks(of: .distantFuture) == .max)
    }

    @Test func `The index has the times of all frames that are shown`() throws {
        // VP8, all inter frames except the first; the third is hidden. Some are larger than the read buffer.
        let frames: [(first: UInt8, count: Int)] =
            [(0x10, 10), (0x11, 9000), (0x01, 5000), (0x11, 1), (0x11, 0), (0x11, 4095)]
        let payloads = frames.map { frame in
            [UInt8](([frame.first] + [UInt8](repeating: 7, count: 9000)).prefix(frame.count))
        }
        let expected = [0, 1, 3, 4, 5].map { FrameRate(30).time(ofFrame: $0) }
        let bytes = file(payloads)
        #expect(try IVFIndex(of: reader(bytes)).times == expected)
        let path = folder.path("index.ivf")
        try write(bytes, to: path)
        #expect(try IVFIndex(of: IVFReader(path: path)).times == expected)
        // Where the file is cut inside a header the index ends.
        try write(Array(bytes.dropLast(4095 + 3)), to: path)
        #expect(try IVFIndex(of: IVFReader(path: path)).times == expected.dropLast())
    }

    // MARK: Damage

    @Test func `A file cut anywhere gives its whole frames and one error`() throws {
        let payloads: [[UInt8]] = [[1], [2, 2], [3, 3, 3]]
        let bytes = file(payloads)
        let starts = [32, 45, 59, 74]
        for length in 0..<bytes.count {
            let cut = Array(bytes[..<length])
            guard length >= 32 else {
                let expected: FileError =
                    length == 0
                    ? .empty(path: "clip.ivf")
                    : .truncated(path: "clip.ivf", position: 0, needed: 32, available: length)
                #expect(throws: expected, "\(length) bytes") { try reader(cut) }
                continue
            }
            let whole = starts.lastIndex { $0 <= length }!
            let rest = length - starts[whole]
            let result = frames(of: try reader(cut))
            #expect(result.payloads == Array(payloads[..<whole]), "\(length) bytes")
            let expected: FileError? =
                switch rest {
                case 0: nil
                case 1..<12: .truncated(path: "clip.ivf", position: starts[whole], needed: 12, available: rest)
                default:
                    .truncated(
                        path: "clip.ivf", position: starts[whole] + 12, needed: whole + 1, available: rest - 12)
                }
            #expect(result.error == expected, "\(length) bytes")
        }
    }

    @Test(arguments: [100_000, IVFReader.maximumFrameByteCount])
    func `A false length costs little memory`(claimed: Int) throws {
        var bytes = file([])
        bytes.append(littleEndian: UInt32(claimed))
        bytes.append(littleEndian: Int64(0))
        bytes += [1, 2, 3]
        try makePipe(folder.path("pipe"), feeding: bytes)
        for (path, reader) in [
            ("clip.ivf", try reader(bytes)), (folder.path("pipe"), try IVFReader(path: folder.path("pipe"))),
        ] {
            var payload: [UInt8] = []
            #expect(throws: FileError.truncated(path: path, position: 44, needed: claimed, available: 3)) {
                try reader.next(into: &payload)
            }
            #expect(payload == [1, 2, 3])
            #expect(payload.capacity < 70_000)
        }
    }

    @Test func `A length beyond all reason is refused`() throws {
        var bytes = file([[1]])
        bytes.append(littleEndian: UInt32.max)
        bytes.append(littleEndian: Int64(0))
        let result = frames(of: try reader(bytes))
        #expect(result.payloads == [[1]])
        #expect(
            result.error
                == .tooLarge(path: "clip.ivf", position: 45, byteCount: 0xFFFF_FFFF, limit: 256 << 20))
    }

    @Test func `Times that would overflow are refused`() throws {
        var bytes = file([])
        bytes.append(littleEndian: UInt32(0))
        bytes.append(littleEndian: Int64.max)
        #expect(frames(of: try reader(bytes)).error == .timeOutOfRange(path: "clip.ivf", position: 32))
    }

    @Test func `An error stays`() throws {
        let reader = try reader(file([[1, 2], [3, 4]]).dropLast())
        let first = try #require(frames(of: reader).error)
        var payload: [UInt8] = []
        #expect(throws: first) { try reader.next(into: &payload) }
    }

    @Test func `What is not VP8 or VP9 is refused by name`() {
        var bytes = file([])
        bytes.replaceSubrange(8..<12, with: "AV01".utf8)
        #expect(throws: FileError.unsupportedFormat(path: "clip.ivf", format: "IVF of codec \"AV01\"")) {
            try reader(bytes)
        }
        bytes = file([])
        bytes[4] = 1
        #expect(throws: FileError.unsupportedFormat(path: "clip.ivf", format: "IVF of version 1")) { try reader(bytes) }
        bytes = file([])
        bytes[6] = 31
        #expect(
            throws: FileError.invalidField(
                path: "clip.ivf", position: 6, field: "length of the header", value: "31")
        ) { try reader(bytes) }
        bytes = file([])
        bytes.replaceSubrange(16..<20, with: [0, 0, 0, 0])
        #expect(
            throws: FileError.invalidField(path: "clip.ivf", position: 16, field: "time base", value: "1/0")
        ) { try reader(bytes) }
        #expect(throws: FileError.foreign(path: "clip.ivf", expected: "DKIF", found: [68, 75, 73, 71])) {
            try reader([68, 75, 73, 71])
        }
    }

    @Test func `Sizes are returned, or out of range`() throws {
        var bytes = file([])
        bytes.replaceSubrange(12..<16, with: [0, 0, 0, 0])
        #expect(try reader(bytes).header.resolution == nil)
        bytes.replaceSubrange(12..<16, with: [255, 255, 1, 0])
        #expect(throws: FileError.resolutionOutOfRange(path: "clip.ivf", width: 65535, height: 1)) {
            try reader(bytes)
        }
    }

    @Test func `Frames of another codec are refused`() throws {
        let path = folder.path("clip.ivf")
        let writer = try IVFWriter(path: path, codec: .vp8, resolution: .vga)
        #expect(throws: FileError.unexpectedInput(path: path, expected: "VP8 frames", given: "one of VP9")) {
            try writer.consume(encodedFrame(0, codec: .vp9, at: .zero), payload: [1].span)
        }
        try writer.finish()
    }

    @Test func `No bytes bring it down`() throws {
        let seeds = [
            file([[1], [2, 2], [3, 3, 3]]),
            file([[], [UInt8](repeating: 5, count: 100)], header: IVFHeader(codec: .vp9, resolution: nil)),
        ]
        var (opened, framesRead, failures) = (0, 0, 0)
        for (index, bytes) in MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 42)).enumerated() {
            guard let file = try? reader(bytes) else { continue }  // refusals are other tests' business
            opened += 1
            let result = frames(of: file)
            framesRead += result.frames.count
            failures += result.error == nil ? 0 : 1
            guard result.error != nil || file.position == bytes.count,
                zip(result.frames, result.payloads).allSatisfy({ frame, payload in
                    payload.elementsEqual(bytes[frame.position..<frame.position + frame.byteCount])
                })
            else {
                Issue.record("input \(index)")
                return
            }
        }
        #expect(opened > 30_000 && opened < 95_000 && framesRead > 50_000 && failures > 10_000)
    }
}

import RillCodec
import RillCore
import RillTestSupport
import Testing

/// A sink that keeps every frame it gets.
@Suite struct PictureRetentionTests {
    @Test(arguments: VideoCodec.allCases, [1, 4])
    func `A sink that keeps everything stops the pictures but not the decoding`(
        codec: VideoCodec, capacity: Int
    ) throws {
        let frames = try CodedStream(codec, .qqvga, count: 300, keyFrames: [100, 200]).frames
        let decoder = try VPXDecoder(codec, poolCapacity: capacity)
        let reference = try VPXDecoder(codec)
        var kept: [VideoFrame] = []
        var sums: [UInt32] = []
        var warm: Int?
        for (index, frame) in frames.enumerated() {
            let expected = try existing(try reference.decode(frame).picture)
            switch try decoder.decode(frame) {
            case .picture(let picture):
                #expect(index < capacity || index >= 250, "\(index)")
                #expect(picture.samples == expected.samples, "frame \(index)")
                if index < 250 {
                    kept.append(picture)
                    sums.append(crc32(picture.samples))
                }
            case .noBuffer: #expect(index >= capacity && index < 250 && !decoder.hasBuffer, "\(index)")
            case let outcome: Issue.record("frame \(index): \(outcome)")
            }
            // By then VP9 has put its references into as many slots as it uses.
            if index == 150 { warm = decoder.blocks.statistics.allocations }
            if index == 249 {
                if isMemoryReused {
                    #expect(decoder.blocks.statistics.allocations == warm, "the pool grew")
                    #expect(decoder.blocks.statistics.allocations <= decoder.blocks.capacity)
                }
                // The returned pictures are unchanged, whatever was decoded since.
                #expect(kept.map { crc32($0.samples) } == sums)
                kept = []
                #expect(decoder.hasBuffer)
            }
        }
        #expect(decoder.statistics.framesDecoded == 300 && decoder.statistics.framesCorrupted == 0)
        #expect(decoder.statistics.picturesWithoutBuffer == 250 - capacity)
        #expect(decoder.blocks.statistics.misses == (codec == .vp8 ? 250 - capacity : 0))
    }

    /// A picture of this size with libvpx's border is half a megabyte: 3000 of them would be noticed.
    @Test(arguments: VideoCodec.allCases)
    func `Nor does memory grow while it keeps them`(codec: VideoCodec) throws {
        let frames = try CodedStream(codec, Resolution(width: 320, height: 240), count: 30).frames
        let decoder = try VPXDecoder(codec, poolCapacity: 4)
        var (kept, resident) = ([VideoFrame](), 0)
        for index in 0..<3000 {
            if let picture = try decoder.decode(frames[index % 30]).picture { kept.append(picture) }
            if index == 300 { resident = try residentByteCount() }
        }
        #expect(kept.count == 4 && decoder.statistics.framesDecoded == 3000)
        expectFlatMemory(since: resident)
    }

    @Test(arguments: VideoCodec.allCases)
    func `Pictures outlive their decoder`(codec: VideoCodec) throws {
        var pictures: [VideoFrame] = []
        var samples: [[UInt8]] = []
        do {
            let decoder = try VPXDecoder(codec, poolCapacity: 3)
            for frame in try CodedStream(codec, .qqvga, count: 6).frames {
                guard let picture = try decoder.decode(frame).picture else { continue }
                pictures.append(picture)
                samples.append(picture.samples)
            }
        }
        #expect(pictures.count == 3 && pictures.map(\.samples) == samples)
    }

    @Test(arguments: VideoCodec.allCases)
    func `Changing sizes take no more memory than the largest`(codec: VideoCodec) throws {
        let streams = try [(64, 48), (320, 240), (160, 120), (318, 238)].map {
            try CodedStream(codec, Resolution(width: $0.0, height: $0.1), count: 4)
        }
        let decoder = try VPXDecoder(codec, poolCapacity: 2)
        var kept: [VideoFrame] = []
        for round in 0..<20 {
            for stream in streams {
                for frame in stream.frames {
                    if let picture = try decoder.decode(frame).picture { kept.append(picture) }
                    if kept.count > 1 { kept.removeFirst() }
                }
            }
            // 320x240 with libvpx's border is 640x560 and half of that again.
            #expect(
                decoder.blocks.statistics.byteCount <= decoder.blocks.capacity * 640 * 560 * 3 / 2, "round \(round)")
        }
        #expect(decoder.statistics.picturesWithoutBuffer == 0 && decoder.statistics.framesDecoded == 320)
    }
}

/// How VP9's pictures come by their memory.
@Suite struct ReferenceBlocksTests {
    @Test func `Pictures of VP9 lie where libvpx decoded them`() throws {
        let decoder = try VPXDecoder(.vp9, poolCapacity: 3)
        let frames = try CodedStream(.vp9, .vga, count: 12).frames
        for frame in frames {
            let picture = try existing(try decoder.decode(frame).picture)
            let base = Int(bitPattern: unsafe picture.pointer(plane: 0))
            let blocks = (0..<decoder.blocks.capacity).compactMap { decoder.blocks.block($0) }
            let block = blocks.first { block in
                let start = Int(bitPattern: unsafe block.base)
                return (start..<start + block.byteCount).contains(base)
            }
            #expect(block != nil, "the picture is a copy")
            // libvpx's layout, with space for a border: the picture was not copied to one of ours.
            #expect(picture.layout[plane: 0].stride == 640 + 2 * 160 - 256 || picture.layout[plane: 0].stride > 640)
            for plane in 0..<3 {
                let place = picture.layout[plane: plane]
                #expect(base - place.offset + place.offset == base && place.offset > 0)
            }
        }
        // Two references and the present frame: libvpx allocates them once.
        if isMemoryReused { #expect(decoder.blocks.statistics.allocations <= 5) }
        #expect(decoder.blocks.statistics.handedOut == frames.count)
    }

    @Test func `Inter frames may change the size of the picture, down and up`() throws {
        let decoder = try VPXDecoder(.vp9, poolCapacity: 2)
        var sizes: [Resolution] = []
        var kept: [VideoFrame] = []
        for frame in try CodedStream(stored: "vp9-resized.ivf", .vp9).frames {
            let picture = try existing(try decoder.decode(frame).picture)
            if sizes.last != picture.resolution {
                sizes.append(picture.resolution)
                // Blocks of the size before are not free while it is looked at.
                kept = [picture]
            }
        }
        #expect(kept.count == 1 && decoder.statistics.keyFramesDecoded == 1)
        #expect(
            sizes == [
                Resolution(width: 128, height: 96), Resolution(width: 103, height: 77),
                Resolution(width: 64, height: 48), Resolution(width: 128, height: 96),
            ])
    }

    @Test func `A superframe gives the one picture that it shows`() throws {
        let decoder = try VPXDecoder(.vp9)
        let frames = try CodedStream(stored: "vp9-hidden.ivf", .vp9).frames
        let superframes = try frames.filter { try VP9Superframe(parsing: $0.span).frameCount > 1 }
        #expect(superframes.count == 4)
        for (index, frame) in frames.enumerated() {
            #expect(try decoder.decode(frame).picture != nil, "frame \(index)")
        }
    }
}

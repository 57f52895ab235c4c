import RillCodec
import RillCore
import RillImage
import RillTestSupport
import Testing

/// The very bytes that the encoders make. They belong to a version of libvpx: on another one these tests say so and
/// compare nothing.
struct GoldenBytesTests {
    /// The libvpx that the checksums were made with.
    private static let libraryVersion = "v1.12.0"

    struct Golden: Sendable, CustomTestStringConvertible {
        var name: String
        var checksum: UInt64
        var byteCount: Int
        var change: @Sendable (inout LayerSettings) -> Void
        var codec: VideoCodec
        /// Off: the bytes of libvpx's own tools.
        var skipsStillBlocks: Bool

        init(
            _ codec: VideoCodec, _ name: String, _ byteCount: Int, _ checksum: UInt64, skipsStillBlocks: Bool = false,
            change: @escaping @Sendable (inout LayerSettings) -> Void = { _ in }
        ) {
            (self.codec, self.name, self.byteCount, self.checksum) = (codec, name, byteCount, checksum)
            (self.skipsStillBlocks, self.change) = (skipsStillBlocks, change)
        }

        var testDescription: String { "\(codec.rawValue) \(name)\(skipsStillBlocks ? ", still blocks left out" : "")" }
    }

    static let goldens: [Golden] = [
        Golden(.vp8, "high", 43235, 0xF242_4B4D_0B0D_5119),
        Golden(.vp8, "low", 5328, 0xE770_B2D8_F8B9_063F) { $0 = .low(.vp8) },
        Golden(.vp8, "L1T3", 19212, 0x2A62_0872_9C1D_B74C) { $0.encoder.temporalPattern = .l1t3 },
        Golden(.vp8, "screen", 43041, 0xCB17_D87F_13B2_8D40) { $0.encoder.content = .screen },
        Golden(.vp8, "denoised", 43185, 0x83E8_2CB6_2EDD_F236) { $0.encoder.isDenoising = true },
        Golden(.vp8, "high", 42763, 0x4A09_4C87_17E2_4A78, skipsStillBlocks: true),
        Golden(.vp8, "low", 5128, 0x9E56_4888_7523_ABC2, skipsStillBlocks: true) { $0 = .low(.vp8) },
        Golden(.vp8, "L1T3", 19407, 0x7129_ADC9_B6CC_D310, skipsStillBlocks: true) {
            $0.encoder.temporalPattern = .l1t3
        },
        Golden(.vp8, "letterboxed", 42117, 0xFEE0_63E9_367B_63F4) { $0.aspect = .letterbox },
        Golden(.vp9, "high", 45769, 0xDDE0_7685_4435_6B97),
        Golden(.vp9, "low", 3051, 0x57A7_AA0A_8070_F2C8) { $0 = .low(.vp9) },
        Golden(.vp9, "L1T3", 23629, 0xD993_0C23_412C_08D4) { $0.encoder.temporalPattern = .l1t3 },
        Golden(.vp9, "screen", 38622, 0xBD07_6F5D_553D_7FF3) { $0.encoder.content = .screen },
        Golden(.vp9, "two threads", 45931, 0xA5D5_0E79_6A3F_4E4A) { $0.encoder.threadCount = 2 },
    ]

    @Test(
        .enabled(
            if: VPXLibrary.version == libraryVersion,
            "the checksums are of libvpx \(libraryVersion), and this is \(VPXLibrary.version)"), arguments: goldens)
    func `The bytes are those of this libvpx`(golden: Golden) throws {
        let resolution = Resolution(width: 352, height: 216)
        var layer = LayerSettings.high(
            Resolution(width: 288, height: 216), bitrate: .kilobits(250), codec: golden.codec)
        golden.change(&layer)
        layer.encoder.skipsStillBlocks = golden.skipsStillBlocks
        let encoder = try SimulcastEncoder(layers: [layer])
        let pictures = try TestPictures(resolution, seed: 5)
        var (checksum, byteCount) = (Checksum(), 0)
        for index in 0..<60 {
            if index == 25 { encoder.plan.requestKeyFrame(layer: 0) }
            if index == 40 { try encoder.plan.change(layer: 0) { $0.bitrate = .kilobits(120) } }
            try encoder.encode(pictures.picture(index)) { _, payload in
                checksum.add(payload)
                byteCount += payload.count
            }
        }
        #expect(byteCount == golden.byteCount, "\(golden.testDescription)")
        #expect(checksum.value == golden.checksum, "\(golden.testDescription): 0x\(String(checksum.value, radix: 16))")
    }
}

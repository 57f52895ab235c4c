import RillCore
import RillScenes
import RillTestSupport
import Testing

@testable import RillBeauty

/// The bytes of a filtered scene. Whoever means to change them writes down the new sums.
struct BeautyGoldenTests {
    /// The drawn portrait, in which the cascade finds the face, filtered for six seconds: lips and eyes come after the
    /// mask.
    private func sum(_ options: BeautyOptions, _ cascade: FaceCascade?) throws -> (sum: UInt64, faces: [FaceRegion]) {
        let size = Resolution(width: 320, height: 240)
        let scene = try PortraitScene(
            resolution: size, frameRate: 30, frameCount: 180, settings: PortraitScene.Settings(skinTone: .medium))
        let pool = try FramePool(resolution: size, capacity: 1)
        var filter = BeautyFilter(options, cascade: cascade)
        var sum = Checksum()
        while case .frame(let frame) = scene.next() {
            let result = try existing(try filter.apply(to: frame, into: pool))
            for plane in 0..<3 {
                for y in 0..<result[plane: plane].height { sum.add(result[plane: plane].row(y)) }
            }
        }
        return (sum.value, filter.faces)
    }

    @Test func `Without a cascade bytes stay as they were`() throws {
        let (natural, strong) = (try sum(.natural, nil).sum, try sum(.strong, nil).sum)
        #expect(natural == 0x0772_e205_4f8e_7a27 && strong == 0x71ed_a132_736b_2890, "\(hex(natural)), \(hex(strong))")
    }

    /// Nothing is treated before the face is known.
    @Test(.enabled(if: hasFaceCascade, "opencv-data is not installed"))
    func `With the installed cascade they are others, and the same each time`() throws {
        let cascade = try FaceCascade(openCVFile: FaceCascade.installedFile)
        #expect(cascade.checksum == 0x974b_6104_d617_44b9)
        var options = BeautyOptions.natural
        (options.lips, options.eyes) = (0.5, 0.5)
        let (natural, adorned) = (try sum(.natural, cascade), try sum(options, cascade))
        #expect(
            natural.sum == 0x32a8_f492_100e_fc38 && adorned.sum == 0x9b63_78a9_12b9_0027,
            "\(hex(natural.sum)), \(hex(adorned.sum))")
        #expect(natural.faces.count == 1 && natural.faces == adorned.faces)
    }

    private func hex(_ sum: UInt64) -> String { "0x" + String(sum, radix: 16) }
}

import Rill

extension Suite {
    static let codecWorkloads: [Workload] =
        VideoCodec.allCases.flatMap { codec in
            [
                encoding(codec, .high, of: .clipFrame, count: 6),
                encoding(codec, .low, of: .lowFrame, count: 20),
                decoding(codec, .high, of: .clipFrame, count: 15),
                decoding(codec, .low, of: .lowFrame, count: 5),
            ]
        } + [encoding(.vp8, .high, of: .clipFrame, count: 6, name: "vp8-still-blocks") { $0.skipsStillBlocks = true }]

    private static func name(_ codec: VideoCodec, _ verb: String, _ rid: StreamLayer.RID) -> String {
        "\(codec.rawValue.lowercased())-\(verb)-\(rid)"
    }

    private static func encoding(
        _ codec: VideoCodec, _ rid: StreamLayer.RID, of unit: Workload.Unit, count: Int, name title: String? = nil,
        _ change: @escaping @Sendable (inout EncoderSettings) -> Void = { _ in }
    ) -> Workload {
        Workload(.codec, title ?? name(codec, "encode", rid), of: unit, count: count) { material in
            var layer = material.layers(codec)[rid == .high ? 0 : 1]
            change(&layer.encoder)
            let pictures = try rid == .high ? material.pictures() : material.lowPictures()
            let encoder = try VPXEncoder(
                layer.encoder, layer: StreamLayer(rid: rid), resolution: layer.resolution, frameRate: layer.frameRate,
                bitrate: layer.bitrate)
            var frameNumber = 0
            return { count in
                try repeating(count) { () -> Int? in
                    var picture = pictures.nextPicture()
                    picture.captureTime = layer.frameRate.time(ofFrame: frameNumber)
                    frameNumber += 1
                    var byteCount = 0
                    try encoder.encode(picture) { _, bytes in byteCount = bytes.count }
                    return byteCount
                }
            }
        }
    }

    /// Decodes the frames repeatedly; each round starts with a key frame. Twice the count is within the first round.
    private static func decoding(
        _ codec: VideoCodec, _ rid: StreamLayer.RID, of unit: Workload.Unit, count: Int
    ) -> Workload {
        Workload(.codec, name(codec, "decode", rid), of: unit, count: count) { material in
            let frames = try material.coded(codec, rid)
            let decoder = try VPXDecoder(codec)
            var next = 0
            return { count in
                try repeating(count) { () -> UInt8? in
                    let time = FrameRate(30).time(ofFrame: next)
                    let frame = frames[next % frames.count]
                    let outcome = try decoder.decode(frame.span, captureTime: time)
                    next += 1
                    guard case .picture(let picture) = outcome else { return nil }
                    return picture.y[0, 0]
                }
            }
        }
    }
}

import Clips
import Rill
import RillBeauty

extension Suite {
    static let beautyWorkloads: [Workload] = [
        filtering("natural", .natural),
        filtering("strong", .strong),
        searching("face") { try $0.pictures() },
        searching("face-large") { try $0.closePictures() },
        searching("face-low", of: .lowFrame) { try $0.lowPictures() },
        searching("search", finds: false) { try $0.pictures() },
    ]

    private static func filtering(_ name: String, _ options: BeautyOptions) -> Workload {
        Workload(.beauty, name, of: .clipFrame, count: 5) { material in
            let pictures = try material.pictures()
            let work = try BeautyWork(options, resolution: material.resolution)
            return { count in try repeating(count) { try work.apply(to: pictures.nextPicture()) } }
        }
    }

    /// Filters pictures with the installed cascade, lips and eyes, after the time in which a face is found and counts
    /// in full.
    private static func searching(
        _ name: String, of unit: Workload.Unit = .clipFrame, finds: Bool = true,
        _ pictures: @escaping @Sendable (Material) throws -> Pendulum
    ) -> Workload {
        Workload(.beauty, name, of: unit, count: 60) { material in
            let pictures = try pictures(material)
            var options = BeautyOptions.natural
            (options.lips, options.eyes) = (0.5, 0.5)
            let installed = try FaceCascade(openCVFile: FaceCascade.installedFile)
            let cascade = finds ? installed : try installed.rejectingAll()
            let work = try BeautyWork(options, cascade: cascade, resolution: pictures.format.resolution)
            for _ in 0..<240 { _ = try work.apply(to: pictures.nextPicture()) }
            return { count in
                let sum = try repeating(count) { try work.apply(to: pictures.nextPicture()) }
                guard work.faceCount == (finds ? 1 : 0) else { throw NoResult() }
                return sum
            }
        }
    }
}

extension FaceCascade {
    /// The same cascade, but nothing passes its last stage. Of drawn pictures without a face, it would take something
    /// for one.
    fileprivate func rejectingAll() throws -> FaceCascade {
        var stages = stages
        stages[stages.count - 1].threshold = .infinity
        return try FaceCascade(side: side, features: features, stages: stages)
    }
}

/// Owns a filter and the buffer that it fills: closures cannot own noncopyable values.
private final class BeautyWork {
    private var filter: BeautyFilter
    private let pool: FramePool

    init(_ options: BeautyOptions, cascade: FaceCascade? = nil, resolution: Resolution) throws {
        filter = BeautyFilter(options, cascade: cascade)
        pool = try FramePool(resolution: resolution, capacity: 1)
    }

    var faceCount: Int { filter.faces.count }

    /// Returns a sample of the filtered frame.
    func apply(to frame: VideoFrame) throws -> UInt8? { try filter.apply(to: frame, into: pool)?.y[0, 0] }
}

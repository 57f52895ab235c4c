import Rill
import RillBeauty

extension Suite {
    static let beautyWorkloads: [Workload] = [
        filtering("natural", .natural),
        filtering("strong", .strong),
    ]

    private static func filtering(_ name: String, _ options: BeautyOptions) -> Workload {
        Workload(.beauty, name, of: .clipFrame, count: 5) { material in
            let (pictures, pool) = (try material.pictures(), try material.pool())
            let filter = BeautyWork(options)
            return { count in
                try repeating(count) { try filter.apply(to: pictures.nextPicture(), into: pool)?.y[0, 0] }
            }
        }
    }
}

/// Owns a filter: closures cannot own noncopyable values.
private final class BeautyWork {
    private var filter: BeautyFilter

    init(_ options: BeautyOptions) {
        filter = BeautyFilter(options)
    }

    func apply(to frame: VideoFrame, into pool: FramePool) throws -> VideoFrame? {
        try filter.apply(to: frame, into: pool)
    }
}

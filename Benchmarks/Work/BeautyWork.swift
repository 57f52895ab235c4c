import Arguments
import Rill
import RillBeauty
import RillFiles

/// Reads a clip and filters its pictures; with the filter off it only reads.
struct BeautyWork {
    private let clip: Y4MReader
    private let options: BeautyOptions

    init(_ arguments: Arguments) throws {
        clip = try Y4MReader(path: arguments["clip"], capacity: 2)
        options = try BeautyOptions(notation: arguments["beauty"])
    }

    func run() throws {
        let pool = try FramePool(resolution: clip.format.resolution, capacity: 1)
        var filter = BeautyFilter(options)
        var count = 0
        while case .frame(let frame) = try clip.next() {
            guard try filter.apply(to: frame, into: pool) != nil else { break }
            count += 1
        }
        print("frames=\(count)")
    }
}

// library-faces: RillFaces alone. Reads the installed cascade, and gives a filter the face that another detector found.

import RillFaces

do throws(FaceCascadeError) {
    guard let cascade = try FaceDetection.automatic.cascade else { preconditionFailure("automatic is not off") }
    print("a cascade of \(cascade.stages.count) stages with \(cascade.features.count) features")
} catch {
    print("no cascade: \(error)")
}

var filter = BeautyFilter(.natural)
let size = Resolution(width: 320, height: 240)
let pool = try FramePool(resolution: size, capacity: 2)
if let frame = pool.makeFrame() {
    filter.giveFaces([FaceRegion(x: 90, y: 60, side: 120)])
    _ = try filter.apply(to: frame.finish(captureTime: .zero), into: pool)
}
print("known: \(filter.faces)")

import Foundation
import RillCore
import Screen

// Checks what is drawn in the window, and where, on a virtual screen. It is a program because tests of this package
// could not be built without those of Rill.

let placement = PlacementChecks()
run("All of a picture is seen, in the middle, or all of the window is covered") {
    placement.`All of a picture is seen, in the middle, or all of the window is covered`()
}
for (width, height) in [(1920, 1080), (960, 720), (390, 844), (200, 60), (1, 1)] {
    run("A grid covers no picture with another, and leaves none out, \(width)x\(height)") {
        placement.`A grid covers no picture with another, and leaves none out`(width: width, height: height)
    }
}
run("Seventeen are as large as they can be") { placement.`Seventeen are as large as they can be`() }
run("Yourself is small, in the corner") { placement.`Yourself is small, in the corner`() }

let window = WindowChecks()
run("A picture is drawn in its colours, with bars beside it, or covers all, I420") {
    try window.`A picture is drawn in its colours, with bars beside it, or covers all`(format: .i420)
}
run("A picture is drawn in its colours, with bars beside it, or covers all, NV12") {
    try window.`A picture is drawn in its colours, with bars beside it, or covers all`(format: .nv12)
}
run("A picture that lies on its side stands upright, mirrored too") {
    try window.`A picture that lies on its side stands upright, mirrored too`()
}
run("Full range is shown as such") { try window.`Full range is shown as such`() }
run("Sizes change from frame to frame, and several are seen at once") {
    try window.`Sizes change from frame to frame, and several are seen at once`()
}
run("Figures are written into the corner, and go again") {
    try window.`Figures are written into the corner, and go again`()
}
run("Keys, clicks and wakings are told") { try window.`Keys, clicks and wakings are told`() }

let tally = Tally.shared
print("\(tally.expectations) expectations in \(tally.checks) checks, \(tally.failures) failed")
exit(tally.failures == 0 && tally.checks == 15 && tally.expectations > 1000 ? 0 : 1)

import RillBeauty

/// A cascade in OpenCV's XML.
let smallText = """
    <?xml version="1.0"?>
    <!-- <a> <cascade><width>9</width></cascade> in a comment -- > is nothing. -->
    <opencv_storage><cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType>
    <featureType>HAAR</featureType><height>8</height><width>8</width><stageNum>1</stageNum><empty/>
    <stages><_><maxWeakCount>1</maxWeakCount><stageThreshold>0.5</stageThreshold>
    <weakClassifiers><_><internalNodes>0 -1 0 0.0</internalNodes><leafValues>0. 1.</leafValues></_></weakClassifiers></_>
    </stages>
    <features><_><rects><_>0 0 8 8 -1.</_><_>0 4 8 4 2.</_></rects></_></features></cascade></opencv_storage>
    """

/// The same as a value: it takes every window for a face whose lower half is brighter than its upper half.
///
/// Written out, as what the reader must give; the tests of RillBeauty search with one of their own.
func smallCascade() throws -> FaceCascade {
    try FaceCascade(
        side: 8,
        features: [
            [
                FaceCascade.Rectangle(x: 0, y: 0, width: 8, height: 8, weight: -1),
                FaceCascade.Rectangle(x: 0, y: 4, width: 8, height: 4, weight: 2),
            ]
        ],
        stages: [
            FaceCascade.Stage(
                trees: [[FaceCascade.Node(feature: 0, threshold: 0, below: .leaf(0), above: .leaf(1))]],
                threshold: 0.5 - 1e-5)
        ])
}
